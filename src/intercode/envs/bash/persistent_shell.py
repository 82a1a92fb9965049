"""One Bash that stays: variables, functions and background jobs live on from command to command.

Commands come through its standard input, each as one quoted word for `eval`, with an empty standard input of its own
lest it reads the next command. Behind each goes a line that prints a word nobody can know beforehand, the exit status
and the directory to a copy of the output.
"""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from dataclasses import replace

from intercode.envs.bash.fresh_shell import inside
from intercode.envs.bash.shell import BASH, Shell, ShellState, find_fault
from intercode.envs.core.observations import observe, with_notice
from intercode.envs.core.output_stream import OutputStream, new_end_marker, read
from intercode.errors import SnapshotError
from intercode.sandboxes.base import Process, Session
from intercode.types import Observation

GRACE = 1.0
"""Seconds that a command has to end once it is interrupted."""

NEXT = "the next command starts another"

_WHOLE = ":\n"

_TELL = (
    "declare -p; declare -f; alias -p; shopt -p; set +o; umask -p; trap -p; "
    "(($#)) && { printf 'set --'; printf ' %q' \"$@\"; echo; }; [ . -ef \"${PWD:-.}\" ] && echo :"
)
"""Prints what, evaluated, makes another Bash the same; `_WHOLE` at its end, unless the directory it is in is gone."""

_HIGH = 200
"""A descriptor that no script is likely to use."""

_INTERRUPTED = "__intercode_interrupted"
"""A variable that is there from SIGINT to the end of the command."""

_ON_EACH_COMMAND = (
    f"if [[ $BASH_COMMAND == *{_INTERRUPTED}* ]]; then trap - DEBUG; shopt -u extdebug; else break 999 2>&-; false; fi"
)

_ON_SIGINT = (
    f'trap \'{_INTERRUPTED}=130; trap "{_ON_EACH_COMMAND.replace("$", chr(92) + "$")}" DEBUG; shopt -s extdebug; '
    "break 999 2>&-' INT"
)
"""Has Bash do at SIGINT as it does at a prompt: give up the rest of the command, loops and functions, and live on.

Without a terminal it would go on with the next part of the command. So from then on no part is run (that is what
`extdebug` makes of a DEBUG trap that fails) until the question how it went, which names the variable.
"""


class PersistentShell(Shell):
    """A Bash that is started with the first command, and anew after it has ended or had to be killed."""

    def __init__(self, session: Session, *, seconds: float) -> None:
        self._session, self.seconds = session, seconds
        self.cwd = session.image.workdir
        self._process: Process | None = None
        self._last = 0

    def run(self, command: str) -> Observation:
        """See `Shell.run`. Output of background jobs is in the observation of whatever command is running then."""
        if problem := find_fault(command):
            return Observation(f"[{problem}]")
        started = time.monotonic()
        process = self._running() or self._start()
        stream = OutputStream(self._session.limits.output, new_end_marker().encode())
        with suppress(BrokenPipeError):  # it has just ended: `_wait` will see that
            process.send(self._lines(command, stream.word))
        try:
            fate = self._wait(process, stream)
        except KeyboardInterrupt:
            self._interrupt(process, stream)  # nobody waits for it any more; the shell lives on if it can
            raise
        return self._observation(process, stream, fate, time.monotonic() - started)

    def memory(self) -> ShellState:
        """See `Shell.memory`: variables, functions, aliases, options, arguments, traps, the mask of new files.

        Background jobs, open files, limits and the directory stack are not among it.

        Raises:
            SnapshotError: If all that is more than one command may print, or its directory is gone: no other shell
                could begin there.
        """
        if self._running() is None:
            return super().memory()
        last, described = self._last, self.run(_TELL)
        self._last = last
        if described.truncated or described.timed_out:
            raise SnapshotError(
                "the shell's variables and functions are too many to save: take the snapshot before they are made"
            )
        if not described.text.endswith(_WHOLE):
            raise SnapshotError(
                f"the shell's directory {self.cwd} is gone, where no other shell can begin: snapshot elsewhere"
            )
        return ShellState(self.cwd, described.text, last)

    def recall(self, memory: ShellState) -> None:
        """See `Shell.recall`. What cannot be set (`$$`, `UID`) stays this shell's own."""
        super().recall(memory)
        if memory.script:
            process = self._start()
            quoted = "'" + memory.script.replace("'", "'\\''") + "'"
            with suppress(BrokenPipeError):  # it did not even start: the next command is told
                process.send(f"eval {quoted} >/dev/null 2>&1 </dev/null\n".encode("utf-8", "surrogateescape"))
            self._last = memory.last

    def _running(self) -> Process | None:
        """The Bash of the last command, unless a job or a signal has ended it since."""
        if self._process is not None and self._process.exit_code is not None:
            self.close()
        return self._process

    def _start(self) -> Process:
        self._process = self._session.open([BASH, "--norc", "--noprofile"], cwd=self.cwd)
        with suppress(BrokenPipeError):  # it could not be started: `_wait` will see that
            self._process.send(f"exec {_HIGH}>&1; {_ON_SIGINT}\n".encode())
        self._last = 0
        return self._process

    def _lines(self, command: str, word: bytes) -> bytes:
        """What Bash is fed: the last status for `$?`, the command, and the question how it went."""
        quoted = "'" + command.replace("'", "'\\''") + "'"
        status = f"(exit {self._last}); " if self._last else ""
        ask = f'printf "\\0{word.decode()}%d %s\\0" "${{{_INTERRUPTED}-$?}}" "$PWD" >&{_HIGH}; unset {_INTERRUPTED}'
        return f"{status}eval {quoted} </dev/null\n{ask}\n".encode()

    def _wait(self, process: Process, stream: OutputStream) -> str:
        """Read until the command has ended; "" if it did so by itself, else what was done to it."""
        if read(process, stream, self.seconds):
            return ""
        return self._interrupt(process, stream)

    def _interrupt(self, process: Process, stream: OutputStream) -> str:
        """End the command, and where it does not heed that the shell; in words what was done."""
        process.signal(signal.SIGINT)
        if read(process, stream, GRACE) and stream.is_complete:
            return "interrupted"
        self.close()
        return "killed, and the shell with it: its variables, functions and jobs are gone"

    def _observation(self, process: Process, stream: OutputStream, fate: str, seconds: float) -> Observation:
        status, _, where = stream.end.partition(" ")
        if stream.is_complete and status.isdecimal() and len(status) < 4:  # else Bash was made to say it otherwise
            self._last, self.cwd = int(status), inside(where, self._session.root) or self.cwd
            return observe(stream.result(self._last, fate, seconds), seconds=self.seconds, fate=fate)
        ended = process.exit_code or 0
        self.close()
        seen = observe(stream.result(ended, fate, seconds), seconds=self.seconds, fate=fate)
        if fate:
            return seen
        return replace(seen, text=with_notice(seen.text, f"the shell has ended with status {ended}: {NEXT}"))

    def close(self) -> None:
        """Kill it and its jobs."""
        if self._process is not None:
            self._process.close()
            self._process = None
