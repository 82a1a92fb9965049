"""A new Bash for every command; what lives on is the file system and the working directory.

The sandbox says where a command has ended (`Result.cwd`): nothing is asked of the Bash, and nothing of ours is in it.
"""

from __future__ import annotations

import re

from intercode.env.observations import observe
from intercode.types import Observation
from intercode.worlds.bash.paper_shell import is_lost
from intercode.worlds.bash.shell import BASH, HASH_SEED, LONGEST_ARGUMENT, Shell, find_fault
from intercode_sandbox.sandbox import Result, Session

WITHOUT_STANDARD_INPUT = 'eval "$(</dev/stdin)"'
"""How a command that is too long for an argument is run: it comes through standard input, which is then at its end."""

_HERE_DOCUMENT = re.compile(r"<<-?\s*['\"\\]?([^\s'\"\\<>|&;()]+)")


class FreshShell(Shell):
    """Each command is one argument of its own Bash. `cwd` is where the last one ended, however it went there."""

    def __init__(self, session: Session, *, seconds: float) -> None:
        self._session, self.seconds = session, seconds
        self.cwd = session.image.workdir

    def run(self, command: str) -> Observation:
        if problem := find_fault(command):
            return Observation(f"[{problem}]")
        result = run_exact(self._session, command, cwd=self.cwd, seconds=self.seconds)
        if result.exit_code == 126 and is_lost(self._session, self.cwd):
            lost, self.cwd = self.cwd, "/"
            return Observation(f"[{lost} is gone: the working directory is / again, and nothing was run]", 126)
        self.cwd = result.cwd or self.cwd
        return observe(result, seconds=self.seconds)


def run_exact(session: Session, command: str, *, cwd: str = "/", seconds: float, separate: bool = False) -> Result:
    """Run *command* as `bash -c` would, except that Bash stays to its end.

    It would become the last program, as if that stood behind `exec`; where a program ended is no concern of its shell.
    """
    text = command if _goes_on_at_its_end(command) else f"{command}\n\n"
    if len(text.encode()) > LONGEST_ARGUMENT:
        argv, stdin = [BASH, "-c", WITHOUT_STANDARD_INPUT], command.encode()
    else:
        argv, stdin = [BASH, "-c", text], b""
    env = {**HASH_SEED, **session.image.env}
    return session.run(argv, cwd=cwd, env=env, stdin=stdin, timeout=seconds, separate=separate)


def _goes_on_at_its_end(command: str) -> bool:
    """Return whether more lines would be part of *command*: of a here-document without an end, or of its last line."""
    lines = {line.strip("\t") for line in command.split("\n")}
    return command.endswith("\\") or any(word not in lines for word in _HERE_DOCUMENT.findall(command))
