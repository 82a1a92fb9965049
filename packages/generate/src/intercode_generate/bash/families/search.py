"""What is there: paths, counts and sizes of chosen files. Answers only; nothing changes."""

from __future__ import annotations

from intercode.types import Criteria
from intercode_generate.bash.registry import family
from intercode_generate.bash.select import select
from intercode_generate.bash.shell import GUESSED
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft

ANY_ORDER = Criteria(any_order=True)


@family(
    "[Print|Output] the full path of every {files}. One path per line, in any order.",
    "[Find|Look for] every {files}. The answer is their full paths, one path on each line; the order does not matter.",
    "Search for each {files}. Print one full path per line, in whatever order.",
    "I need the full paths of certain files: of each {files}. One per line, any order, and nothing else.",
)
def paths(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the paths of a selection."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    return Draft(
        {"files": chosen.text},
        chosen.paths,
        chosen.loop('printf "%s\\n" "$f"'),
        (*(wrong.paths for wrong in chosen.wrong), f"{chosen.find} -printf '%f\\n'"),
        chosen.steps,
        ANY_ORDER,
    )


@family(
    "Print the full path of every {files}. One path per line, sorted in [descending|reverse] byte order (`sort -r`).",
    "List each {files} by its full path, one per line, the last in byte order first.",
    "[Search for|Find] every {files}. Print the full paths, one per line, in reverse byte order.",
)
def sorted_paths(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the paths of a selection in an order."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    return Draft(
        {"files": chosen.text},
        f"{chosen.paths} | sort -r",
        chosen.loop('printf "%s\\n" "$f"') + " | sort | tac",
        (*(f"{wrong.paths} | sort -r" for wrong in chosen.wrong), f"{chosen.paths} | sort"),
        chosen.steps + 1,
    )


@family(
    "[Print|Output] only the names, without their folders, of the files described here: every {files}. "
    "One name per line, in any order.",
    "What are the files called? List the bare name, no folder in front, of each {files}. One per line, in any order.",
    "For every {files}, print its name without the folders before it. One line each; the order does not matter.",
)
def names(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the last parts of a selection's paths."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -printf '%f\\n'",
        chosen.loop('printf "%s\\n" "${f##*/}"'),
        (*(f"{wrong.find} -printf '%f\\n'" for wrong in chosen.wrong), chosen.paths),
        chosen.steps + 1,
        ANY_ORDER,
    )


@family(
    "Count every {files}. [Print|Output] the count alone.",
    "How many files are there of this kind: {files}? The answer is one number on a line of its own.",
    "[Print|Output] one number and nothing else. It says how often this is to be found: a {files}.",
)
def count(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return how many files a selection has."""
    chosen = select(draw, world, difficulty, least=3, most=30)
    if chosen is None or len(chosen.files) in GUESSED:
        return None
    near = tuple(f"{wrong.paths} | wc -l" for wrong in chosen.wrong if len(wrong.files) != len(chosen.files))
    return Draft(
        {"files": chosen.text},
        f"{chosen.paths} | wc -l",
        f'n=0; {chosen.loop("n=$((n + 1))")}; echo "$n"',
        (*near, f"echo {len(chosen.files) + 1}", f"{chosen.paths} | wc -c"),
        chosen.steps + 1,
    )


@family(
    "How many bytes [do|would] these files hold together: every {files}? Print only the number.",
    "Add up the sizes in bytes of every {files}. [Print|Output] the sum and nothing else.",
    "Print a single number, the total size in bytes (of the contents, as `wc -c` counts) of each {files}.",
)
def total_size(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the bytes of a selection together."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    add = "awk '{n += $1} END {print n + 0}'"
    size = sum(file.size for file in chosen.files)
    if size in GUESSED:
        return None
    wrong = [each for each in chosen.wrong if sum(file.size for file in each.files) != size]
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -printf '%s\\n' | {add}",
        f'n=0; {chosen.loop(ADD_SIZE)}; echo "$n"',
        (*(f"{each.find} -printf '%s\\n' | {add}" for each in wrong), f"{chosen.paths} | wc -l", f"echo {size + 1}"),
        chosen.steps + 2,
    )


ADD_SIZE = 'n=$((n + $(wc -c < "$f")))'


@family(
    "Of every {files}, which is the largest? Print its full path only.",
    "[Print|Give] the full path of the one file that holds the most bytes. The choice is among every {files}.",
    "Look at each {files}. Print nothing but the full path of the biggest of them, by bytes.",
)
def largest(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the file of a selection with the most bytes; no two may have as many."""
    chosen = select(draw, world, difficulty, least=3)
    if chosen is None:
        return None
    sizes = sorted(file.size for file in chosen.files)
    if sizes[-1] == sizes[-2]:
        return None
    by_size = "-printf '%s\\t%p\\n' | sort -n"
    best = max(chosen.files, key=lambda file: file.size)
    wrong = [each for each in chosen.wrong if each.files and max(each.files, key=lambda file: file.size) != best]
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} {by_size} | tail -n 1 | cut -f 2",
        f'm=-1; {chosen.loop(KEEP_LARGEST)}; printf "%s\\n" "$b"',
        (
            *(f"{each.find} {by_size} | tail -n 1 | cut -f 2" for each in wrong),
            f"{chosen.find} {by_size} | head -n 1 | cut -f 2",
            f"{chosen.find} {by_size} | tail -n 2 | head -n 1 | cut -f 2",
            f"{chosen.find} {by_size} | tail -n 1",
        ),
        chosen.steps + 3,
    )


KEEP_LARGEST = 's=$(stat -c %s "$f"); if [ "$s" -gt "$m" ]; then m=$s b=$f; fi'


@family(
    "Which file was modified last? The choice is among every {files}. Print its full path only.",
    "Of every {files}, print the full path of the one with the latest modification time, and nothing else.",
    "[Print|Give] one full path: that of the most recently modified of all these, each {files}.",
)
def newest(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the file of a selection that was modified last."""
    chosen = select(draw, world, difficulty, least=3)
    if chosen is None:
        return None
    best = max(chosen.files, key=lambda file: file.mtime)
    wrong = [each for each in chosen.wrong if each.files and max(each.files, key=lambda file: file.mtime) != best]
    by_time = "-printf '%T@\\t%p\\n' | sort -n"
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} {by_time} | tail -n 1 | cut -f 2",
        f'b=; {chosen.loop(KEEP_NEWEST)}; printf "%s\\n" "$b"',
        (
            *(f"{each.find} {by_time} | tail -n 1 | cut -f 2" for each in wrong),
            f"{chosen.find} {by_time} | head -n 1 | cut -f 2",
            f"{chosen.find} {by_time} | tail -n 2 | head -n 1 | cut -f 2",
        ),
        chosen.steps + 3,
    )


KEEP_NEWEST = 'if [ -z "$b" ] || [ "$f" -nt "$b" ]; then b=$f; fi'


@family(
    "Which folders directly hold such files: a {files}? Print the full path of each folder once, sorted in byte order.",
    "List the folders that have at least one file of this kind directly in them: {files}. Full paths, each folder "
    "once, one per line, in byte order.",
    "Find every {files}, and print the full path of the folder it is in. No folder twice; one per line, sorted.",
)
def folders(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the folders that a selection's files are in."""
    chosen = select(draw, world, difficulty, least=3, most=30)
    if chosen is None:
        return None
    right = {file.folder for file in chosen.files}
    if len(right) < 2 or len(right) == len(chosen.files):
        return None
    wrong = [each for each in chosen.wrong if {file.folder for file in each.files} != right]
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -printf '%h\\n' | sort -u",
        chosen.loop('dirname "$f"') + " | awk '!seen[$0]++' | sort",
        (*(f"{each.find} -printf '%h\\n' | sort -u" for each in wrong), f"{chosen.find} -printf '%h\\n' | sort"),
        chosen.steps + 2,
    )


@family(
    "For every {files}, print its size in bytes, one blank and its full path. One line each, [smallest|the smallest] "
    "file first; files of equal size in byte order of the paths.",
    "List each {files} as `SIZE PATH`, with the size in bytes and the full path, one per line. Sort by size as a "
    "number, ascending; where sizes are equal, by path in byte order.",
    "Print lines of the form `SIZE PATH` (bytes, one blank, full path). There is one line for every {files}. Small "
    "files come before large ones, and equal ones are in byte order of their paths.",
)
def sizes(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a table of sizes and paths."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    by_size = "-printf '%s %p\\n' | sort -k1,1n -k2"
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} {by_size}",
        chosen.loop('printf "%s %s\\n" "$(wc -c < "$f")" "$f"') + " | LC_ALL=C sort -k 2 | sort -s -n -k 1,1",
        (
            *(f"{wrong.find} {by_size}" for wrong in chosen.wrong),
            f"{chosen.find} -printf '%s %p\\n' | sort -k1,1nr -k2",
            f"{chosen.find} -printf '%p %s\\n' | sort -k2,2n",
        ),
        chosen.steps + 2,
    )


@family(
    "How many files of each ending are there among these: every {files}? Print lines `COUNT ENDING`, where the ending "
    "is what follows the last dot of the name. Sort them by ending, in byte order.",
    "Group every {files} by ending (what follows the last dot of its name). Print one line `COUNT ENDING` a group, "
    "with one blank between, sorted by ending in byte order.",
    "Count by ending. Look at each {files}; for each ending, that is the text after the last dot in the name, print "
    "`COUNT ENDING` on a line. The lines are in byte order of the endings.",
)
def endings(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return how many files of a selection have which ending."""
    chosen = select(draw, world, difficulty, least=4, most=40)
    if chosen is None or len({file.name.rpartition(".")[2] for file in chosen.files}) < 2:
        return None
    group = "sed 's/.*\\.//' | sort | uniq -c | awk '{print $1, $2}'"
    right = sorted(file.name.rpartition(".")[2] for file in chosen.files)
    wrong = [each for each in chosen.wrong if sorted(file.name.rpartition(".")[2] for file in each.files) != right]
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -printf '%f\\n' | {group}",
        chosen.loop('printf "%s\\n" "${f##*.}"') + " | awk '{n[$0]++} END {for (e in n) print n[e], e}' | sort -k 2",
        (
            *(f"{each.find} -printf '%f\\n' | {group}" for each in wrong),
            f"{chosen.find} -printf '%f\\n' | sed 's/.*\\.//' | sort | uniq -c",
            f"{chosen.find} -printf '%f\\n' | sed 's/.*\\.//' | sort -u",
        ),
        chosen.steps + 4,
    )


@family(
    "How many lines do these files have together: every {files}? Print only the number.",
    "Print one number, the lines (newline characters) in all of these files added up: each {files}.",
    "Count the lines, as `wc -l` counts them, of every {files}. [Print|Output] nothing but the sum over all of them.",
)
def total_lines(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the lines of a selection together."""
    chosen = select(draw, world, difficulty, fits=lambda file: file.kind != "archive")
    if chosen is None:
        return None
    lines = sum(file.data.count(b"\n") for file in chosen.files)
    if lines in GUESSED:
        return None
    wrong = [each for each in chosen.wrong if sum(file.data.count(b"\n") for file in each.files) != lines]
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -exec cat {{}} + | wc -l",
        chosen.loop('grep -c "" "$f"') + " | awk '{n += $1} END {print n + 0}'",
        (*(f"{each.find} -exec cat {{}} + | wc -l" for each in wrong), f"echo {lines + 1}"),
        chosen.steps + 2,
    )
