"""Configuration files: `key = value` in sections, `KEY=value` for shells, and JSON with a key on each line."""

from __future__ import annotations

import re

from intercode_generate.bash.registry import family
from intercode_generate.bash.shell import GUESSED, new_path, word
from intercode_generate.bash.world import BashWorld, File
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft

_PAIR = re.compile(r"^(\w+) = (\d+)$", re.M)


def _conf(draw: Draw, world: BashWorld) -> File:
    return draw.pick([file for file in world.of_kind("conf") if file.name.endswith(".conf")])


def _environments(world: BashWorld) -> list[File]:
    return [file for file in world.of_kind("conf") if ".env." in file.name]


@family(
    "What is `{key}` set to in `{file}`? Print only the value.",
    "Print the value of the setting `{key}` in the file `{file}`, and nothing else.",
    "`{file}` has a line `{key} = …`. Print what stands behind the equals sign, without blanks.",
    difficulties=("easy", "medium"),
)
def value(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the value of a setting."""
    conf = _conf(draw, world)
    key, found = draw.pick(_PAIR.findall(conf.text))
    if int(found) in GUESSED:
        return None
    file = word(conf.path)
    return Draft(
        {"file": conf.path, "key": key},
        f"sed -n 's/^{key} = //p' {file}",
        f'awk \'$1 == "{key}" && $2 == "=" {{print $3}}\' {file}',
        (f"grep '^{key} = ' {file}", f"echo {int(found) + 1}", f"sed -n 's/^{key} =//p' {file}"),
        1,
    )


@family(
    "Set `{key}` to {new} in `{file}`; change nothing else in the file.",
    "In the configuration `{file}`, the setting `{key}` should be {new} from now on. Keep the form `key = value` and "
    "all other lines.",
    "Change the line of `{key}` in `{file}` so that it reads `{key} = {new}`. All other lines stay as they are.",
    difficulties=("easy", "medium"),
)
def change(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return another value for a setting."""
    conf = _conf(draw, world)
    key, old = draw.pick(_PAIR.findall(conf.text))
    new = str(int(old) + draw.integer(1, 500))
    file = word(conf.path)
    edit = f'awk \'$1 == "{key}" && $2 == "=" {{$0 = "{key} = {new}"}} {{print}}\' {file}'
    return Draft(
        {"file": conf.path, "key": key, "new": new},
        f"sed -i 's/^{key} = .*/{key} = {new}/' {file}",
        f't=$({edit}); printf "%s\\n" "$t" > {file}',
        (
            f"sed -i 's/^{key} = .*/{key}={new}/' {file}",
            f"sed -i 's/^{key} = .*/{key} = {int(new) + 1}/' {file}",
            f"echo '{key} = {new}' >> {file}",
        ),
        1,
    )


@family(
    "Switch off the setting `{key}` in `{file}`: put `# ` (a hash and one blank) before its line.",
    "Comment out the line of `{key}` in `{file}`, by a hash and one blank in front of it. Change no other line.",
    "In `{file}`, the line that sets `{key}` is to become a comment: `# ` goes before it, and the rest of it stays.",
    difficulties=("easy", "medium"),
)
def comment_out(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a setting made a comment."""
    conf = _conf(draw, world)
    key, _ = draw.pick(_PAIR.findall(conf.text))
    file = word(conf.path)
    edit = f"awk '/^{key} = / {{$0 = \"# \" $0}} 1' {file}"
    return Draft(
        {"file": conf.path, "key": key},
        f"sed -i 's/^{key} = /# &/' {file}",
        f't=$({edit}); printf "%s\\n" "$t" > {file}',
        (f"sed -i 's/^{key} = /#&/' {file}", f"sed -i '/^{key} = /d' {file}", f"sed -i 's/^/# /' {file}"),
        1,
    )


@family(
    "Print the keys in the section `{section}` of `{file}`, in their order, one per line. A section begins with its "
    "name in square brackets and ends before the next one; a key stands before ` = `, and comments are none.",
    "`{file}` has sections, each after a line with its name in square brackets. List the keys (what stands before "
    "` = `) of the section `{section}`, one per line and in order; lines with a hash in front are comments.",
    "Which settings does the section `{section}` of `{file}` have? It goes from the line with its name in square "
    "brackets to the next such line. Print each key, without value, on a line; keep the order, skip comments.",
    difficulties=("medium", "hard"),
)
def section_keys(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the keys of one section."""
    conf = _conf(draw, world)
    section = draw.pick(re.findall(r"^\[(.+)\]$", conf.text, re.M))
    keys = re.findall(r"^(\w+) = ", conf.text.partition(f"[{section}]")[2].partition("\n[")[0], re.M)
    if len(keys) < 2 or keys == sorted(keys, reverse=True):
        return None
    file = word(conf.path)
    inside = f'/^\\[/ {{on = ($0 == "[{section}]")}}'
    return Draft(
        {"file": conf.path, "section": section},
        f"awk '{inside} on && / = / && !/^#/ {{print $1}}' {file}",
        f"sed -n '/^\\[{section}\\]$/,/^\\[/{{s/^\\([a-z_]*\\) = .*/\\1/p}}' {file}",
        (
            f"awk '/ = / && !/^#/ {{print $1}}' {file}",
            f"awk '{inside} on && / = / && !/^#/ {{print $1}}' {file} | sort -r",
            f"awk '{inside} on && / = / && !/^#/' {file}",
        ),
        2,
    )


@family(
    "Which variables are set in `{one}` and not in `{other}`? Print their names, without values, one per line in byte "
    "order.",
    "Both `{one}` and `{other}` hold lines `NAME=VALUE`. Print, sorted in byte order and one per line, the names that "
    "only the first of them has.",
    "Compare `{one}` with `{other}`: list every name (before the equals sign) that is in the former but not in the "
    "latter, one per line, in byte order.",
)
def missing(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the names that only one of two files has."""
    found = _environments(world)
    if len(found) < 2:
        return None
    one, other = draw.shuffled(found)
    names, others = ({line.partition("=")[0] for line in file.lines} for file in (one, other))
    if len(names - others) < 2 or names - others == names or len(others - names) < 1:
        return None
    first, second = word(one.path), word(other.path)
    keys = "<(cut -d = -f 1 {} | sort)"
    return Draft(
        {"one": one.path, "other": other.path},
        f"comm -23 {keys.format(first)} {keys.format(second)}",
        f"awk -F= 'NR == FNR {{s[$1]; next}} !($1 in s) {{print $1}}' {second} {first} | sort",
        (
            f"comm -13 {keys.format(first)} {keys.format(second)}",
            f"comm -12 {keys.format(first)} {keys.format(second)}",
            f"cut -d = -f 1 {first} | sort",
        ),
        5,
    )


@family(
    "Print the value of `{key}` in the JSON file `{file}`: only the number.",
    "`{file}` holds a JSON object with each key on a line of its own. What number has `{key}`? Print it alone.",
    "Read `{key}` out of the JSON object in `{file}`, and print its value, a number without anything around it.",
    difficulties=("easy", "medium"),
)
def json_value(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a number out of JSON."""
    conf = draw.pick(world.of_kind("json"))
    key, found = draw.pick(re.findall(r'"(\w+)": (\d+)', conf.text))
    if int(found) in GUESSED:
        return None
    file = word(conf.path)
    return Draft(
        {"file": conf.path, "key": key},
        f"sed -n 's/^ *\"{key}\": \\([0-9]*\\),*$/\\1/p' {file}",
        f"grep '\"{key}\"' {file} | tr -cd '0-9\\n'",
        (f"grep '\"{key}\"' {file}", f"echo {int(found) + 1}", f"grep '\"{key}\"' {file} | cut -d : -f 2"),
        2,
    )


@family(
    "Write the settings of `{file}` without comments, section lines and blank lines to a new file `{target}`, sorted "
    "in byte order.",
    "Make `{target}` of only those lines of `{file}` that read `key = value`; comments (with a hash in front) and the "
    "names of sections are left out, and the lines are in byte order.",
    "Take from `{file}` every line `key = value` that is no comment, sort these lines in byte order, and write them to "
    "the new file `{target}`.",
)
def bare(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Only the settings, sorted."""
    conf = _conf(draw, world)
    target, file = new_path(draw, world, ".conf"), word(conf.path)
    return Draft(
        {"file": conf.path, "target": target},
        f"grep -E '^[a-z_]+ = ' {file} | sort > {word(target)}",
        f"awk '/ = / && !/^[#[]/' {file} | sort | tee {word(target)} > /dev/null",
        (
            f"grep -E '^[a-z_]+ = ' {file} > {word(target)}",
            f"sort {file} > {word(target)}",
            f"grep -E '^[a-z_]+ = ' {file} | sort -r > {word(target)}",
        ),
        3,
    )
