"""The contents of chosen files changed in place: names, owners and permissions stay."""

from __future__ import annotations

from intercode_generate.bash.contents import sentence
from intercode_generate.bash.names import THINGS
from intercode_generate.bash.registry import family
from intercode_generate.bash.select import Selection, select
from intercode_generate.bash.shell import per_file, word
from intercode_generate.bash.world import BashWorld, File
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


def _is_text(file: File) -> bool:
    return file.kind != "archive" and file.size > 0


def _in_place(chosen: Selection, program: str) -> str:
    """Bash that puts what *program* makes of each file into its place, written over the old content."""
    return chosen.loop(f'n=$({program} < "$f"; echo x); printf %s "${{n%x}}" > "$f"')


def _sed(chosen: Selection, script: str) -> str:
    return f"{chosen.find} -exec sed -i {word(script)} {{}} +"


@family(
    "Replace `{old}` by `{new}` everywhere it stands, also inside longer words, in every {files}.",
    "In the contents of each {files}, change every `{old}`, even as a part of a word, to `{new}`.",
    "Wherever the text `{old}` occurs in one of these files, it should be `{new}` instead: every {files}.",
)
def replace(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return one text replaced by another."""
    chosen = select(draw, world, difficulty, fits=_is_text)
    if chosen is None:
        return None
    texts = [file.text for file in chosen.files]
    there = [thing for thing in THINGS if sum(thing in text for text in texts) >= 2]
    if not there:
        return None
    old, new = draw.pick(there), draw.pick(("tulip", "cactus", "walrus", "comet", "violin"))
    wrong = [each for each in chosen.wrong if _changes(each, old) != _changes(chosen, old)]
    return Draft(
        {"files": chosen.text, "old": old, "new": new},
        _sed(chosen, f"s/{old}/{new}/g"),
        _in_place(chosen, f"awk '{{gsub(/{old}/, \"{new}\")}} 1'"),
        (
            *(_sed(each, f"s/{old}/{new}/g") for each in wrong),
            _sed(chosen, f"s/{old}/{new}s/g"),
            _sed(chosen, f"/{old}/d"),
        ),
        chosen.steps + 1,
    )


def _changes(chosen: Selection, old: str) -> set[str]:
    return {file.path for file in chosen.files if old.encode() in file.data}


@family(
    "Delete the lines that contain `{thing}` from every {files}.",
    "Out of each {files}, remove every line with the text `{thing}` in it; keep all other lines as they are.",
    "Lines in which `{thing}` stands are not wanted any more. Take them out of every {files}.",
)
def delete_lines(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Lines with a text left out."""
    chosen = select(draw, world, difficulty, fits=_is_text)
    if chosen is None:
        return None
    there = [thing for thing in THINGS if sum(thing in file.text for file in chosen.files) >= 2]
    if not there:
        return None
    thing = draw.pick(there)
    wrong = [each for each in chosen.wrong if _changes(each, thing) != _changes(chosen, thing)]
    return Draft(
        {"files": chosen.text, "thing": thing},
        _sed(chosen, f"/{thing}/d"),
        _in_place(chosen, f"grep -v {thing}"),
        (
            *(_sed(each, f"/{thing}/d") for each in wrong),
            _sed(chosen, f"/{thing}/!d"),
            _sed(chosen, f"s/{thing}//g"),
        ),
        chosen.steps + 1,
    )


@family(
    "Add one line at the end of every {files}: `{line}`.",
    "Append the line `{line}` to each {files}.",
    "At its end, every {files} gets one more line. It reads `{line}`.",
)
def append(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a line more at the end."""
    chosen = select(draw, world, difficulty, fits=_is_text)
    if chosen is None:
        return None
    line = f"{sentence(draw)} {draw.integer(10, 99)}"
    add = per_file(f'echo {word(line)} >> "$f"')
    twice = per_file(f'for n in 1 2; do echo {word(line)} >> "$f"; done')
    return Draft(
        {"files": chosen.text, "line": line},
        f"{chosen.paths} | {add}",
        chosen.loop(f'printf "%s\\n" {word(line)} | tee -a -- "$f" > /dev/null'),
        (
            *(f"{wrong.paths} | {add}" for wrong in chosen.wrong),
            _sed(chosen, f"1i {line}"),
            f"{chosen.paths} | {twice}",
        ),
        chosen.steps + 1,
    )


@family(
    "Put one line before the first line of every {files}: `{line}`.",
    "Insert the line `{line}` at the top of each {files}.",
    "Every {files} should begin with a new first line, which reads `{line}`; the rest follows unchanged.",
)
def prepend(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a line more at the top."""
    chosen = select(draw, world, difficulty, fits=_is_text)
    if chosen is None:
        return None
    line = f"{sentence(draw)} {draw.integer(10, 99)}"
    return Draft(
        {"files": chosen.text, "line": line},
        _sed(chosen, f"1i {line}"),
        _in_place(chosen, f"cat <(echo {word(line)}) -"),
        (
            *(_sed(wrong, f"1i {line}") for wrong in chosen.wrong),
            _sed(chosen, f"1a {line}"),
            _sed(chosen, f"$a {line}"),
        ),
        chosen.steps + 1,
    )


@family(
    "Turn all small letters a to z into capitals in the contents of every {files}.",
    "Make the contents of each {files} upper case (the letters a to z; all else stays).",
    "Every {files} is to be written in capitals: replace each letter from a to z in it by the capital letter.",
)
def capitals(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Contents in capitals."""
    chosen = select(draw, world, difficulty, fits=_is_text)
    if chosen is None:
        return None
    upper = "y/abcdefghijklmnopqrstuvwxyz/ABCDEFGHIJKLMNOPQRSTUVWXYZ/"
    return Draft(
        {"files": chosen.text},
        _sed(chosen, upper),
        _in_place(chosen, "tr a-z A-Z"),
        (*(_sed(wrong, upper) for wrong in chosen.wrong), _sed(chosen, f"1{upper}")),
        chosen.steps + 1,
    )


@family(
    "Keep only the first {number} lines of every {files}, and cut off the rest. Shorter files stay as they are.",
    "Shorten each {files} to its first {number} lines, where it has more.",
    "No more than {number} lines, the first ones, are to be left in every {files}.",
)
def shorten(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the first lines kept."""
    chosen = select(draw, world, difficulty, fits=_is_text)
    if chosen is None:
        return None
    number = draw.integer(2, 6)
    cut = {file.path for file in chosen.files if len(file.lines) > number}
    if len(cut) < 2:
        return None
    wrong = [
        each
        for each in chosen.wrong
        if {file.path for file in each.files if file.kind != "archive" and len(file.lines) > number} != cut
        and all(file.kind != "archive" for file in each.files)
    ]
    return Draft(
        {"files": chosen.text, "number": str(number)},
        _sed(chosen, f"{number + 1},$d"),
        _in_place(chosen, f"head -n {number}"),
        (
            *(_sed(each, f"{number + 1},$d") for each in wrong),
            _sed(chosen, f"{number},$d"),
            _sed(chosen, f"1,{number}d"),
        ),
        chosen.steps + 1,
    )
