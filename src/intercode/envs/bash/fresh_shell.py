"""A new Bash for every command; what lives on is the file system and the working directory.

Where a command could move, Bash is made to say at its end where it stands. That must not show in the output, nor in
line numbers of error messages, and `exit`, `exec` and signals must not confuse it. So Bash reads a trap from standard
input before the command (as BASH_ENV), and the trap prints to a copy of the output, between NUL bytes, a word that
nobody can know beforehand. Commands in which no word could move are run as they are.
"""

from __future__ import annotations

import re
from dataclasses import replace

from intercode.envs.bash.paper_shell import is_lost
from intercode.envs.bash.shell import BASH, LONGEST_ARGUMENT, Shell, find_fault
from intercode.envs.core.observations import observe
from intercode.envs.core.output_stream import new_end_marker
from intercode.sandboxes.base import Result, Session
from intercode.types import Observation

MOVES = re.compile(r"\b(cd|pushd|popd|eval|source|autocd)\b|(^|[\n;&|({`]|\b(then|else|do))\s*\.\s")
r"""The words that move a shell. Seen too often they do no harm; one that is hidden (`c\d`) is not followed."""

WITHOUT_STANDARD_INPUT = 'eval "$(</dev/stdin)"'
"""How a command that is too long for an argument is run: it comes through standard input, which is then at its end."""

_HIGH = 200
"""A descriptor that no script is likely to use."""


class FreshShell(Shell):
    """Each command is one argument of its own Bash. `cwd` follows `cd`, wherever in a command it stands."""

    def __init__(self, session: Session, *, seconds: float) -> None:
        self._session, self.seconds = session, seconds
        self.cwd = session.image.workdir

    def run(self, command: str) -> Observation:
        """See `Shell.run`."""
        if problem := find_fault(command):
            return Observation(f"[{problem}]")
        result, where = self._run(command)
        if result.exit_code == 126 and is_lost(self._session, self.cwd):
            lost, self.cwd = self.cwd, "/"
            return Observation(f"[{lost} is gone: the working directory is / again, and nothing was run]", 126)
        observation = observe(result, seconds=self.seconds)
        self.cwd = where or self.cwd
        return observation

    def _run(self, command: str) -> tuple[Result, str]:
        """What *command* did, and where it ended, if it said so."""
        return run_and_locate(self._session, command, cwd=self.cwd, seconds=self.seconds)


def run_and_locate(
    session: Session, command: str, *, cwd: str, seconds: float, separate: bool = False
) -> tuple[Result, str]:
    """Run *command* as `run_exact` does; with it comes the directory in which it ended, "" where it did not say."""
    if not MOVES.search(command):
        return run_exact(session, command, cwd=cwd, seconds=seconds, separate=separate), ""
    word = new_end_marker()
    result = run_exact(session, command, cwd=cwd, seconds=seconds, first=_trap(word), separate=separate)
    return _without_word(result, word, session.root)


def run_exact(
    session: Session, command: str, *, cwd: str = "/", seconds: float, first: str = "", separate: bool = False
) -> Result:
    """Run *command* as `bash -c` would; *first* is read by that Bash before it, unseen."""
    if len(command.encode()) > LONGEST_ARGUMENT:
        argv, stdin = [BASH, "-c", f"{first}{WITHOUT_STANDARD_INPUT}"], command.encode()
        return session.run(argv, cwd=cwd, stdin=stdin, timeout=seconds, separate=separate)
    argv = [BASH, "-c", command]
    if not first:
        return session.run(argv, cwd=cwd, timeout=seconds, separate=separate)
    env = {**session.image.env, "BASH_ENV": "/proc/self/fd/0"}
    return session.run(argv, cwd=cwd, env=env, stdin=first.encode(), timeout=seconds, separate=separate)


def _trap(word: str) -> str:
    """Bash that, when it ends, prints the word and its directory to where its output went when it began."""
    say = f'printf "\\0{word}%s\\0" "$PWD" >&{_HIGH}'
    return f"unset BASH_ENV; exec {_HIGH}>&1; trap '{say}' EXIT;"


def _without_word(result: Result, word: str, root: str) -> tuple[Result, str]:
    """*result* as if nothing had been asked of it, and the directory that it named ("" for none)."""
    before, found, rest = result.output.rpartition(b"\0" + word.encode())
    if not found:
        return result, ""
    where, end, after = rest.partition(b"\0")
    output = before + after
    hidden = len(result.output) - len(output)
    shown = replace(result, output=output, output_bytes=result.output_bytes - hidden)
    return shown, inside(where.decode("utf-8", "surrogateescape"), root) if end else ""


def inside(where: str, root: str) -> str:
    """The path in the session of what a program in it calls *where*; "" for what is none."""
    if not where.startswith(root):
        return ""
    return "/" + where.removeprefix(root).lstrip("/")
