"""What can be asked of a file, drawn so that it is true of one at least."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from intercode_generate.bash.contents import stamp
from intercode_generate.bash.names import THINGS
from intercode_generate.bash.shell import word
from intercode_generate.bash.world import File
from intercode_generate.draw import Draw

STAT = "stat --printf '%s/%Y/%a/%u/%n\\0'"
"""Says of files what Bash cannot find out by itself; `LOOK` reads it."""

LOOK = "IFS=/ read -r -d '' size time mode user f <&3"


@dataclass(frozen=True, slots=True)
class FileCondition:
    """One thing asked of a file: in words after "each regular file", for `find`, and for Bash about `$f`.

    Attributes:
        is_slow: Whether it takes a program for each file.
        has_stat: Whether the test for Bash asks for a variable of `LOOK`.
    """

    text: str
    find: str
    test: str
    holds: Callable[[File], bool]
    is_slow: bool = False
    has_stat: bool = False


def draw_conditions(draw: Draw, files: Sequence[File], count: int) -> Iterator[FileCondition]:
    """Conditions of *count* kinds, each true of one of *files* at least."""
    for kind in draw.sample(KINDS, count):
        yield kind(draw, draw.pick(files), files)


def _suffix(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    end = "." + file.name.rpartition(".")[2]
    return FileCondition(
        f"whose name ends in `{end}`", f"-name '*{end}'", f"[[ $f == *{end} ]]", lambda it: it.name.endswith(end)
    )


def _initial(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    letter = next((letter for letter in file.name if letter.isalnum()), "a")
    return FileCondition(
        f"whose name begins with `{letter}`",
        f"-name '{letter}*'",
        f'[[ "${{f##*/}}" == {letter}* ]]',
        lambda it: it.name.startswith(letter),
    )


def _part(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    letters = [letter for letter in file.name if letter.isalpha()]
    at = draw.integer(0, max(0, len(letters) - 2))
    part = file.name.lower()[at : at + 2]
    part = part if part.isalpha() else "re"
    return FileCondition(
        f"whose name contains `{part}`",
        f"-name '*{part}*'",
        f'[[ "${{f##*/}}" == *{part}* ]]',
        lambda it: part in it.name,
    )


def _larger(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    size = max(1, file.size - draw.integer(1, 9))
    return _by_stat(
        f"that is larger than {size} bytes", f"-size +{size}c", f"size -gt {size}", lambda it: it.size > size
    )


def _smaller(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    size = file.size + draw.integer(1, 9)
    text = f"that is smaller than {size} bytes"
    return _by_stat(text, f"-size -{size}c", f"size -lt {size}", lambda it: it.size < size)


def _after(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    moment = _whole_minute(file.mtime - draw.integer(1, 80000))
    text, find = f"that was last modified after {stamp(moment)} UTC", f"-newermt '{stamp(moment)} UTC'"
    return _by_stat(text, find, f"time -gt {moment}", lambda it: it.mtime > moment)


def _before(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    moment = _whole_minute(file.mtime + draw.integer(60, 80000))
    text, find = f"that was last modified before {stamp(moment)} UTC", f"! -newermt '{stamp(moment - 1)} UTC'"
    return _by_stat(text, find, f"time -lt {moment}", lambda it: it.mtime < moment)


def _mode(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    mode = f"{file.mode:o}"
    text = f"whose permissions are exactly {mode} in octal"
    return _by_stat(text, f"-perm {mode}", f"mode = {mode}", lambda it: it.mode == file.mode)


def _owner(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    user = file.owner
    text = f"that belongs to the user with the number {user}"
    return _by_stat(text, f"-uid {user}", f"user = {user}", lambda it: it.owner == user)


def _whole_minute(moment: int) -> int:
    return moment - moment % 60


def _by_stat(text: str, find: str, test: str, holds: Callable[[File], bool]) -> FileCondition:
    """Return a condition on a variable of `LOOK`: *test* is its name, an operator and a value."""
    name, comparison = test.split(" ", 1)
    return FileCondition(text, find, f'[ "${name}" {comparison} ]', holds, has_stat=True)


def _holds(draw: Draw, file: File, files: Sequence[File]) -> FileCondition:
    text = file.data.decode("ascii", "replace") if file.kind != "archive" else ""
    there = [thing for thing in draw.shuffled(THINGS) if thing in text]
    thing = there[0] if there else draw.pick(THINGS)
    wanted = thing.encode()
    return FileCondition(
        f"that contains the text `{thing}`",
        f"-exec grep -qF {word(thing)} {{}} \\;",
        f'grep -qF {word(thing)} "$f"',
        lambda it: wanted in it.data,
        is_slow=True,
    )


KINDS = (_suffix, _suffix, _initial, _part, _larger, _smaller, _after, _before, _mode, _owner, _holds)
"""Ways to draw a condition that is true of the file given, the more often the more they stand here."""
