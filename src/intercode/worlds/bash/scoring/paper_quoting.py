r"""How the published benchmark turns an action into a command, and keeps its working directory.

It writes `/bin/bash -c "ACTION"` as one string and splits that by shlex. The outer quotes exist for shlex only, so an
action's own double quotes end them: `echo "a b"` prints `a`, `echo -e "a\nb"` prints `anb`, `find -name "*.c"` has its
glob expanded. Behaviour after princeton-nlp/intercode, `intercode/envs/bash/bash_env.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MALFORMED = "Malformed command"
"""The observation of an action that cannot be split, or whose output is not UTF-8."""

TIMED_OUT = "Command timed out"
"""The observation of an action that ran for more than ten seconds; its output is lost."""


@dataclass(frozen=True, slots=True)
class PaperCommand:
    """What is run for one action: *argv* from *cwd*; where it succeeds, *arrives* is the next working directory."""

    argv: tuple[str, ...]
    cwd: str
    arrives: str


Splitter = Callable[[str], list[str] | None]
"""The arguments that an action is turned into, None where it is malformed."""


def paper_command(action: str, cwd: str) -> PaperCommand | None:
    """Return the command for *action* while the working directory is *cwd*; None where the observation is `MALFORMED`.

    An action that starts with `cd` is run from `/`, and moves if it succeeds; no other action moves.
    """
    return _command(action, cwd, paper_argv)


def ctf_command(action: str, cwd: str) -> PaperCommand | None:
    """Return the same in the published world of capture the flag, whose quoting is better (see `ctf_argv`)."""
    return _command(action, cwd, ctf_argv)


def recorded_ctf_command(action: str, cwd: str) -> PaperCommand | None:
    """Return the same as it was when recordings of that world were made: double quotes, but for Python's `-c`."""
    return _command(action, cwd, _recorded_ctf_argv)


def bare_ctf_command(action: str, cwd: str) -> PaperCommand | None:
    """Return the same as it was at first: an action is split as it stands, and run without a shell."""
    return _command(action, cwd, _bare_argv)


def _command(action: str, cwd: str, splitter: Splitter) -> PaperCommand | None:
    if not action.startswith("cd"):
        argv = splitter(action)
        return PaperCommand(tuple(argv), cwd, cwd) if argv else None
    target = paper_cd(action, cwd)
    argv = None if target is None else splitter(f"cd {target}")
    return PaperCommand(tuple(argv), "/", target) if argv and target is not None else None


def paper_gold(gold: str | Sequence[str]) -> PaperCommand | None:
    """Return the command for a task's gold, always run from `/`; None where the gold is corrupt.

    `cd` is nothing special.
    """
    argv = paper_argv(gold if isinstance(gold, str) else ";".join(gold))
    return None if argv is None else PaperCommand(tuple(argv), "/", "/")


def paper_argv(action: str) -> list[str] | None:
    """Return the arguments that reach the kernel, `/bin/bash` first.

    None for unbalanced quotes or a trailing backslash.

    A NUL byte counts as malformed too: no argument can hold one.
    """
    return None if "\0" in action else split(f'/bin/bash -c "{action.strip()}"')


def ctf_argv(action: str) -> list[str] | None:
    """Return the arguments in the world of capture the flag: in single quotes, so that an action's own quotes survive.

    What starts with `python3 -c` or `python -c` is split as it stands, without a shell.
    """
    if "\0" in action:
        return None
    if _is_python(action):
        return split(action)
    quoted = action.strip().replace("'", "'\\''")
    return split(f"/bin/bash -c '{quoted}'")


def _is_python(action: str) -> bool:
    return action.startswith(("python3 -c", "python -c"))


def _bare_argv(action: str) -> list[str] | None:
    return None if "\0" in action else split(action)


def _recorded_ctf_argv(action: str) -> list[str] | None:
    return ctf_argv(action) if _is_python(action) else paper_argv(action)


_BLANK, _PLAIN, _ESCAPED, _SINGLE, _DOUBLE = range(1, 6)
_PIECE = re.compile(
    r"""([ \t\r\n]+) | ([^ \t\r\n\\'"]+) | \\(.) | '([^']*)' | "([^"\\]*(?:\\.[^"\\]*)*)\"""",
    re.DOTALL | re.VERBOSE,
)


def split(text: str) -> list[str] | None:
    """Return what `shlex.split` makes of *text*, None where that raises; but in linear time: it takes a minute a MB."""
    words: list[list[str]] = []
    position, is_inside = 0, False
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            return None
        position, kind = piece.end(), piece.lastindex or _BLANK
        if kind != _BLANK:
            words += [] if is_inside else [[]]
            words[-1].append(re.sub(r"\\([\"\\])", r"\1", piece[kind]) if kind == _DOUBLE else piece[kind])
        is_inside = kind != _BLANK
    return ["".join(pieces) for pieces in words]


def paper_cd(action: str, cwd: str) -> str | None:
    """Return where an action that starts with `cd` would go.

    All that follows the first `cd `, however odd, joined to *cwd*.

    None where there is no `cd ` in it (`cd`, `cdx`): there the published program ends with a ValueError, and nothing
    can be compared with; we answer `MALFORMED`.
    """
    _, found, argument = action.partition("cd ")
    return resolve(cwd, argument.strip()) if found else None


def resolve(cwd: str, argument: str) -> str:
    """Join *argument* to *cwd* as text, without a look at the file system: `..` drops a part, `.` is dropped."""
    if not argument:
        return cwd
    parts: list[str] = []
    for part in (argument if argument.startswith("/") else f"{cwd}/{argument}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def lost_directory(cwd: str) -> str:
    """Return what a command answers while the directory *cwd* does not exist, as the container runtime says it."""
    return (
        "OCI runtime exec failed: exec failed: unable to start container process: "
        f"chdir to cwd ({_go_quote(cwd)}) set in config.json failed: no such file or directory: unknown\r\n"
    )


_GO_ESCAPES = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v"}


def _go_quote(text: str) -> str:
    """Return *text* as Go's `%q` prints it."""
    return '"' + "".join(_go_escape(character) for character in text) + '"'


def _go_escape(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character in _GO_ESCAPES:
        return _GO_ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
