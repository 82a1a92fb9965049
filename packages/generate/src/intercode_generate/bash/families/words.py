"""Word lists, one word a line: what two lists share, what is frequent, what stands on a line."""

from __future__ import annotations

from collections import Counter

from intercode_generate.bash.registry import family
from intercode_generate.bash.shell import new_path, word
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


@family(
    "Which words stand in both `{one}` and `{other}`? Print each once, one per line, in byte order.",
    "Print the lines that occur in `{one}` as well as in `{other}`: each once, sorted in byte order.",
    "Compare the lists `{one}` and `{other}` line by line, and print what both of them have, without repeats and in "
    "byte order.",
)
def common(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return what two lists share."""
    lists = world.of_kind("list")
    one, other = draw.sample(lists, 2) if len(lists) > 1 else (None, None)
    if one is None or other is None:
        return None
    both = set(one.lines) & set(other.lines)
    if len(both) < 2:
        return None
    first, second = word(one.path), word(other.path)
    return Draft(
        {"one": one.path, "other": other.path},
        f"comm -12 <(sort -u {first}) <(sort -u {second})",
        f"grep -Fxf {first} {second} | awk '!seen[$0]++' | sort",
        (
            f"comm -23 <(sort -u {first}) <(sort -u {second})",
            f"sort -u {first} {second}",
            f"comm -12 <(sort -u {first}) <(sort -u {second}) | sort -r",
        ),
        3,
    )


@family(
    "Write to a new file `{target}` the words of `{one}` that are not in `{other}`: each once, one per line, in byte "
    "order.",
    "Make `{target}` of the lines that only `{one}` has and `{other}` has not, without repeats and sorted in byte "
    "order.",
    "The lists `{one}` and `{other}` have one word on each line. Those of the former that the latter lacks belong in a "
    "new file `{target}`, sorted in byte order, no word twice.",
)
def only_first(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return what one list has alone, in a file."""
    lists = world.of_kind("list")
    if len(lists) < 2:
        return None
    one, other = draw.sample(lists, 2)
    alone = set(one.lines) - set(other.lines)
    if len(alone) < 2 or len(alone) == len(set(one.lines)):
        return None
    target, first, second = new_path(draw, world, ".txt"), word(one.path), word(other.path)
    out = word(target)
    return Draft(
        {"one": one.path, "other": other.path, "target": target},
        f"comm -23 <(sort -u {first}) <(sort -u {second}) > {out}",
        f"grep -vxFf {second} {first} | sort | uniq > {out}",
        (
            f"comm -13 <(sort -u {first}) <(sort -u {second}) > {out}",
            f"sort -u {first} > {out}",
            f"comm -23 <(sort -u {first}) <(sort -u {second})",
        ),
        4,
    )


@family(
    "Which words occur more than once in `{file}`? Print lines `COUNT WORD`, the most frequent first, equally frequent "
    "words in byte order.",
    "Print `COUNT WORD`, with one blank between, for each line that stands at least twice in `{file}`. Higher counts "
    "come first; with equal counts, words are in byte order.",
    "Find the words that are repeated in the list `{file}` (one word a line). For each, print how often it is there "
    "and "
    "the word, as `COUNT WORD`: by count from high to low, then by word in byte order.",
)
def repeated(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return what stands in a list more than once."""
    words = draw.pick(world.of_kind("list"))
    counts = [count for count in Counter(words.lines).values() if count > 1]
    if len(counts) < 2 or len(counts) == len(set(words.lines)):
        return None
    file = word(words.path)
    return Draft(
        {"file": words.path},
        f"sort {file} | uniq -cd | sort -k1,1nr -k2 | awk '{{print $1, $2}}'",
        f"awk '{{n[$0]++}} END {{for (w in n) if (n[w] > 1) print n[w], w}}' {file} | sort -k 2 | sort -s -rn -k 1,1",
        (
            f"sort {file} | uniq -c | sort -k1,1nr -k2 | awk '{{print $1, $2}}'",
            f"sort {file} | uniq -d",
            f"sort {file} | uniq -cd | sort -k1,1nr -k2",
        ),
        5,
    )


@family(
    "Print line {number} of `{file}`.",
    "What does line number {number} of `{file}` say, counted from 1? Print that line only.",
    "Of `{file}`, print nothing but the line with the number {number} (the first line is number 1).",
    difficulties=("easy",),
)
def nth_line(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return one line by its number."""
    words = draw.pick(world.of_kind("list", "log", "access"))
    number = draw.integer(3, len(words.lines) - 1)
    if words.lines[number - 1] in (words.lines[number - 2], words.lines[number]):
        return None
    file = word(words.path)
    return Draft(
        {"file": words.path, "number": str(number)},
        f"sed -n {number}p {file}",
        f"head -n {number} {file} | tail -n 1",
        (f"sed -n {number + 1}p {file}", f"sed -n {number - 1}p {file}", f"head -n {number} {file}"),
        1,
    )


@family(
    "Number the lines of `{file}`: write to the new file `{target}` each line with its number, counted from 1, a colon "
    "and one blank in front, as in `1: apple`.",
    "Make a copy `{target}` of `{file}` in which every line begins with its number and `: `: `1: …`, `2: …` and so on.",
    "In the new file `{target}`, put all lines of `{file}` in their order, each after its line number, a colon and a "
    "blank (`1: `, `2: `, …).",
    difficulties=("easy", "medium"),
)
def number_lines(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a file with numbered lines."""
    words = draw.pick(world.of_kind("list", "text"))
    if len(words.lines) < 3:
        return None
    target, file = new_path(draw, world, ".txt"), word(words.path)
    out = word(target)
    return Draft(
        {"file": words.path, "target": target},
        f"awk '{{print NR \": \" $0}}' {file} > {out}",
        f'n=0; while IFS= read -r line; do n=$((n + 1)); printf \'%d: %s\\n\' "$n" "$line"; done < {file} > {out}',
        (
            f"awk '{{print NR - 1 \": \" $0}}' {file} > {out}",
            f"awk '{{print NR \":\" $0}}' {file} > {out}",
            f"cat -n {file} > {out}",
        ),
        2,
    )


@family(
    "Reverse the order of the lines of `{file}` in place, so that the last becomes the first.",
    "Turn `{file}` upside down: the same lines in the opposite order, in the same file.",
    "Rewrite `{file}` with its lines in reverse order, the last line on top.",
    difficulties=("easy", "medium"),
)
def upside_down(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a file with its lines in the opposite order."""
    words = draw.pick(world.of_kind("list", "log"))
    lines, file = words.lines, word(words.path)
    if lines == lines[::-1] or sorted(lines, reverse=True) == lines[::-1]:
        return None
    return Draft(
        {"file": words.path},
        f"tac {file} > /tmp/turned && cat /tmp/turned > {file} && rm /tmp/turned",
        f't=$(awk \'{{l[NR] = $0}} END {{for (n = NR; n; n--) print l[n]}}\' {file}); printf "%s\\n" "$t" > {file}',
        (f"sort -r -o {file} {file}", f"tac {file}", f"tac {file} > /tmp/turned"),
        3,
    )
