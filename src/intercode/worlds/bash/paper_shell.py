"""The published benchmark's shell: each action is a new Bash, quoted as in `worlds/bash/scoring/paper_quoting.py`."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping

from intercode.types import Observation
from intercode.worlds.bash.scoring.paper_quoting import (
    MALFORMED,
    TIMED_OUT,
    PaperCommand,
    lost_directory,
    paper_command,
)
from intercode.worlds.bash.shell import LONGEST_ARGUMENT, Shell, find_fault
from intercode_sandbox.sandbox import Result, Session

TOO_LONG = (
    "OCI runtime exec failed: exec failed: unable to start container process: "
    "exec /bin/bash: argument list too long: unknown\r\n"
)

Quote = Callable[[str, str], PaperCommand | None]
"""What an action in a working directory runs; None where it is malformed."""


class PaperShell(Shell):
    """Commands as the published benchmark runs them. `cwd` may be text that is no directory: then all of them fail."""

    def __init__(self, session: Session, *, seconds: float, quote: Quote = paper_command) -> None:
        self._session, self.seconds, self._quote = session, seconds, quote

    def run(self, command: str) -> Observation:
        found = None if find_fault(command) else self._quote(command, self.cwd)
        if found is None:
            return Observation(MALFORMED)
        observation = run_paper(self._session, found, seconds=self.seconds)
        if observation.exit_code == 0:
            self.cwd = found.arrives
        return observation


def run_paper(
    session: Session,
    command: PaperCommand,
    *,
    seconds: float,
    keep: bool = False,
    env: Mapping[str, str] | None = None,
) -> Observation:
    """Run an action, or a gold, as the published benchmark's container would.

    Of what takes too long the output is lost; *keep* keeps it, for golds: the published benchmark sets them no limit.
    """
    if sum(len(argument.encode()) + 1 for argument in command.argv) > LONGEST_ARGUMENT:
        return Observation(TOO_LONG, 126)
    result = session.run(command.argv, cwd=command.cwd, env=env, timeout=seconds)
    if result.timed_out and not keep:
        return Observation(TIMED_OUT, timed_out=True, seconds=result.seconds)
    if result.exit_code == 126 and is_lost(session, command.cwd):
        return Observation(lost_directory(command.cwd), 126, seconds=result.seconds)
    text = strict_text(result)
    if text is None:
        return Observation(MALFORMED, seconds=result.seconds)
    return Observation(text, result.exit_code, result.timed_out, result.truncated, result.seconds)


def is_lost(session: Session, cwd: str) -> bool:
    """Return whether *cwd* is no directory that a command could start in."""
    return cwd != "/" and session.run(["/bin/true"], cwd=cwd).exit_code == 126


def strict_text(result: Result) -> str | None:
    """Return the output as text, or None where it is not UTF-8; a character cut in two by a limit is dropped."""
    is_whole = not (result.truncated or result.timed_out)
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(result.output, final=is_whole)
    except UnicodeDecodeError:
        return None
