"""Logs of programs and of web servers: levels, times, hosts, pages."""

from __future__ import annotations

from collections import Counter

from intercode_generate.bash.registry import family
from intercode_generate.bash.shell import GUESSED, new_path, word
from intercode_generate.bash.world import BashWorld, File
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft

LEVELS = ("ERROR", "WARNING", "INFO", "DEBUG")


def _log(draw: Draw, world: BashWorld) -> File:
    return draw.pick(world.of_kind("log"))


def _column(file: File, number: int) -> list[str]:
    return [line.split()[number - 1] for line in file.lines]


@family(
    "How many lines of the level {level} are there in `{file}`? Print only the number. (A line is `DATE TIME LEVEL "
    "COMPONENT: …`.)",
    "In the log `{file}` the third word of a line is its level. Count the lines with the level {level}, and print the "
    "count alone.",
    "Print one number: how often the level, that is the third word of a line, is {level} in `{file}`.",
    difficulties=("easy", "medium"),
)
def count_level(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Lines of one level, counted."""
    log, level = _log(draw, world), draw.pick(LEVELS)
    count, file = _column(log, 3).count(level), word(log.path)
    if count < 2 or count in GUESSED:
        return None
    return Draft(
        {"file": log.path, "level": level},
        f"awk '$3 == \"{level}\"' {file} | wc -l",
        f"cut -d ' ' -f 3 {file} | grep -cx {level}",
        (f"echo {count - 1}", f"awk '$3 != \"{level}\"' {file} | wc -l", f"wc -l < {file}"),
        2,
    )


@family(
    "Write the lines of `{file}` that come from the component `{component}` (the fourth word is `{component}:`) to a "
    "new file `{target}`, in their order.",
    "Each line of the log `{file}` names a component and a colon as its fourth word. Copy those of `{component}`, in "
    "the order they have, to the new file `{target}`.",
    "Make a file `{target}` of all lines in `{file}` whose fourth word is `{component}:`. Keep lines and order as they "
    "are.",
)
def component_lines(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return one component's lines in a file of their own."""
    log = _log(draw, world)
    name = draw.pick(_column(log, 4)).rstrip(":")
    target, file = new_path(draw, world, ".log"), word(log.path)
    count = _column(log, 4).count(f"{name}:")
    if not 2 <= count < len(log.lines):
        return None
    out = f"> {word(target)}"
    return Draft(
        {"file": log.path, "component": name, "target": target},
        f"awk '$4 == \"{name}:\"' {file} {out}",
        f"grep -E '^[^ ]+ [^ ]+ [^ ]+ {name}: ' {file} {out}",
        (
            f"awk '$4 != \"{name}:\"' {file} {out}",
            f"awk '$4 == \"{name}:\"' {file} | sort -r {out}",
            f"awk '$4 == \"{name}:\"' {file} | head -n {count - 1} {out}",
        ),
        2,
    )


@family(
    "Print the lines of `{file}` from {first} to {last}, both included, in their order. (Each line begins with its "
    "date and time.)",
    "A line of the log `{file}` begins with date and time. Print those not earlier than {first} and not later than "
    "{last}, in the order they have.",
    "Show what `{file}` says between {first} and {last}: all lines whose date and time lie in this span, its ends "
    "included, unchanged and in order.",
    difficulties=("medium", "hard"),
)
def time_window(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the lines of a span of time."""
    log = _log(draw, world)
    lines, file = log.lines, word(log.path)
    begin = draw.integer(1, len(lines) - 6)
    end = begin + draw.integer(2, min(8, len(lines) - begin - 2))
    first, last = lines[begin][:19], lines[end][:19]
    if len({line[:19] for line in lines}) < len(lines):
        return None
    return Draft(
        {"file": log.path, "first": first, "last": last},
        f'awk \'{{t = $1 " " $2}} t >= "{first}" && t <= "{last}"\' {file}',
        f"sed -n '/^{first} /,/^{last} /p' {file}",
        (
            f'awk \'{{t = $1 " " $2}} t > "{first}" && t <= "{last}"\' {file}',
            f'awk \'{{t = $1 " " $2}} t >= "{first}" && t < "{last}"\' {file}',
            f'awk \'{{t = $1 " " $2}} t >= "{first}" && t <= "{last}"\' {file} | sort -r',
        ),
        2,
    )


@family(
    "Which line of `{file}` took longest? The time stands at the end of each line, as `(27 ms)`. Print the whole line.",
    "Every line of `{file}` ends in its duration, such as `(27 ms)`. Print the one line with the longest, unchanged.",
    "Find the highest number of milliseconds in `{file}` (in brackets at the end of a line) and print the line it is "
    "in, complete.",
)
def slowest(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the line with the longest duration; no two may have it."""
    log = _log(draw, world)
    times = sorted(int(line.rpartition("(")[2].split()[0]) for line in log.lines)
    if times[-1] == times[-2]:
        return None
    file = word(log.path)
    by_time = f"sed 's/.*(\\([0-9]*\\) ms)$/\\1|&/' {file} | sort -n"
    return Draft(
        {"file": log.path},
        f"{by_time} | tail -n 1 | cut -d '|' -f 2-",
        "awk '{t = $(NF - 1); sub(/\\(/, \"\", t); if (t + 0 > m) {m = t + 0; l = $0}} END {print l}' " + file,
        (
            f"{by_time} | head -n 1 | cut -d '|' -f 2-",
            f"{by_time} | tail -n 2 | head -n 1 | cut -d '|' -f 2-",
            f"{by_time} | tail -n 1 | cut -d '|' -f 1",
        ),
        4,
    )


@family(
    "How many lines has each level in `{file}`? The level is the third word. Print `COUNT LEVEL` for each level that "
    "occurs, sorted by level in byte order.",
    "Count the lines of the log `{file}` by their third word, the level. One line `COUNT LEVEL`, with one blank "
    "between, for each; levels in byte order.",
    "Print a line `COUNT LEVEL` for every level, that is every third word of a line, in `{file}`. Sort these lines by "
    "the level, in byte order.",
)
def levels(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Lines by level."""
    log = _log(draw, world)
    if len(set(_column(log, 3))) < 3:
        return None
    file = word(log.path)
    return Draft(
        {"file": log.path},
        f"cut -d ' ' -f 3 {file} | sort | uniq -c | awk '{{print $1, $2}}'",
        f"awk '{{n[$3]++}} END {{for (l in n) print n[l] \" \" l}}' {file} | sort -k 2",
        (
            f"cut -d ' ' -f 3 {file} | sort | uniq -c",
            f"cut -d ' ' -f 3 {file} | sort | uniq -c | awk '{{print $2, $1}}'",
            f"tail -n +2 {file} | cut -d ' ' -f 3 | sort | uniq -c | awk '{{print $1, $2}}'",
        ),
        4,
    )


@family(
    "Which host, the first word of a line, has the most requests in `{file}`? Print only its address.",
    "In the web server's log `{file}`, a line is a request and begins with the host's address. Print the address with "
    "the most lines.",
    "Print one address: that of the host (first word of a line) that `{file}` has the most lines of.",
    difficulties=("easy", "medium"),
)
def busiest_host(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the host with the most requests; no two may have as many."""
    log = draw.pick(world.of_kind("access"))
    ranking = Counter(_column(log, 1)).most_common()
    if len(ranking) < 3 or ranking[0][1] == ranking[1][1]:
        return None
    file = word(log.path)
    count = f"cut -d ' ' -f 1 {file} | sort | uniq -c | sort -n"
    return Draft(
        {"file": log.path},
        f"{count} | tail -n 1 | awk '{{print $2}}'",
        f"awk '{{if (++n[$1] > n[b]) b = $1}} END {{print b}}' {file}",
        (
            f"{count} | head -n 1 | awk '{{print $2}}'",
            f"{count} | tail -n 2 | head -n 1 | awk '{{print $2}}'",
            f"{count} | tail -n 1",
        ),
        5,
    )


@family(
    "How many bytes were sent with the status {status} in `{file}`? In each line the last word is the bytes, and the "
    "word before it the status. Print only the sum.",
    "The last two words of a line in the log `{file}` are a status and a number of bytes. Add up the bytes over all "
    "lines with the status {status}; print the sum alone.",
    "Print one number, the total of the last words of those lines of `{file}` whose last word but one is {status}.",
)
def bytes_by_status(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Bytes added up for a status."""
    log = draw.pick(world.of_kind("access"))
    status = draw.pick([line.split()[-2] for line in log.lines])
    sizes = [int(line.split()[-1]) for line in log.lines if line.split()[-2] == status]
    if not 2 <= len(sizes) < len(log.lines) or sum(sizes) in GUESSED:
        return None
    file = word(log.path)
    return Draft(
        {"file": log.path, "status": status},
        f"awk '$(NF - 1) == {status} {{s += $NF}} END {{print s}}' {file}",
        f"grep -E ' {status} [0-9]+$' {file} | rev | cut -d ' ' -f 1 | rev | paste -sd + | "
        f"sed 's/^/echo $((/; s/$/))/' "
        "| bash",
        (
            f"awk '{{s += $NF}} END {{print s}}' {file}",
            f"awk '$(NF - 1) == {status} {{s += $(NF - 1)}} END {{print s}}' {file}",
            f"echo {sum(sizes) + 1}",
        ),
        2,
    )


@family(
    "List the pages that were not found (status 404) in `{file}`: each page once, one per line, in byte order. A "
    'request stands in the line as "GET /PAGE" or "POST /PAGE"; print `/PAGE`.',
    "In the web server's log `{file}` the status is the last word but one, and the page follows GET or POST within "
    "double quotes. Print every page, as `/PAGE`, that has a line with the status 404, once each, sorted in byte "
    "order.",
    "Which pages (`/PAGE`, behind GET or POST in the quotes) have at least one line with the status 404, the last word "
    "but one, in `{file}`? Print each once, sorted in byte order.",
    difficulties=("medium", "hard"),
)
def pages_not_found(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the pages with a status."""
    log = draw.pick(world.of_kind("access"))
    missing = {line.split('"')[1].split()[1] for line in log.lines if line.split()[-2] == "404"}
    if not 2 <= len(missing) < len({line.split('"')[1].split()[1] for line in log.lines}):
        return None
    file = word(log.path)
    pages = "cut -d '\"' -f 2 | cut -d ' ' -f 2"
    return Draft(
        {"file": log.path},
        f"awk '$(NF - 1) == 404' {file} | {pages} | sort -u",
        f'sed -n \'s/.*"[A-Z]* \\([^"]*\\)" 404 .*/\\1/p\' {file} | sort | uniq',
        (
            f"{pages.replace(' | ', f' {file} | ', 1)} | sort -u",
            f"awk '$(NF - 1) == 404' {file} | {pages} | sort -ru",
            f"awk '$(NF - 1) == 404' {file} | cut -d '\"' -f 2 | sort -u",
        ),
        4,
    )


@family(
    "How many lines of the level {level} (the third word) are in the gzip-compressed log `{file}`, and how many lines "
    "in all? Print only the two numbers on one line, with a blank between, and leave the file as it is.",
    "`{file}` is a log compressed by gzip; the third word of its lines is the level. Without changing anything, print "
    "on one line, with a blank between, how many lines have the level {level} and how many lines there are.",
    "Look into the compressed log `{file}` (gzip), and print two numbers on one line, with a blank between: its lines "
    "whose third word is {level}, and all of its lines. No file may change.",
)
def compressed(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a log that is compressed: one number of it alone would be guessed."""
    logs = [file for file in world.of_kind("archive") if file.name.endswith(".log.2.gz")]
    if not logs:
        return None
    log, level = draw.pick(logs), draw.pick(LEVELS)
    count, file = log.data.decode("latin-1").count(f" {level} "), word(log.path)
    if count < 2:
        return None
    return Draft(
        {"file": log.path, "level": level},
        f"zcat {file} | awk '$3 == \"{level}\" {{n++}} END {{print n + 0, NR}}'",
        f"echo \"$(gzip -dc {file} | cut -d ' ' -f 3 | grep -cx {level}) $(gzip -dc {file} | wc -l)\"",
        (
            f"zcat {file} | awk '$3 == \"{level}\" {{n++}} END {{print n + 1, NR}}'",
            f"zcat {file} | awk '{{n++}} END {{print n + 0, NR}}'",
            f"gunzip {file}; awk '$3 == \"{level}\" {{n++}} END {{print n + 0, NR}}' {word(log.path[:-3])}",
        ),
        3,
    )


@family(
    "Merge the logs `{one}` and `{other}` into a new file `{target}`: all lines of both, sorted in byte order, "
    "which is the order of time as each line begins with its date and time.",
    "Make `{target}` of all lines that `{one}` and `{other}` have. They are sorted in byte order, so that the earliest "
    "comes first.",
    "All lines of `{one}` and of `{other}` belong together in a new file `{target}`, in byte order of the whole lines.",
)
def merge(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Two logs as one."""
    logs = world.of_kind("log")
    if len(logs) < 2:
        return None
    one, other = draw.sample(logs, 2)
    target = new_path(draw, world, ".log")
    files, out = f"{word(one.path)} {word(other.path)}", f"{word(target)}"
    return Draft(
        {"one": one.path, "other": other.path, "target": target},
        f"sort {files} > {out}",
        f"cat {files} | LC_ALL=C sort | tee {out} > /dev/null",
        (f"sort -r {files} > {out}", f"sort {word(one.path)} > {out}", f"sort {files}"),
        2,
    )
