"""One Bash that stays: variables, functions and background jobs live on from command to command.

It is an interactive Bash on a terminal, on which each command is typed as one quoted word for `eval`. Only Bash's line
editor gets what is typed; programs find their input at its end, and print to a pipe. That it waits for the next
command, and where it is, is seen from outside (`TerminalProcess.prompt`). So nothing of ours is on a descriptor, in a
variable, a trap or a function of it. The exit status alone it is asked for: it writes that to a number that the kernel
keeps of it (see `intercode_sandbox/embedded/helper/keeper.c`).
"""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from dataclasses import dataclass, replace

from intercode.env.observations import observe, with_notice
from intercode.errors import SnapshotError
from intercode.types import Observation
from intercode.worlds.bash.shell import BASH, HASH_SEED, Shell, ShellState, find_fault
from intercode_sandbox.host.output_collector import OutputBuffer
from intercode_sandbox.sandbox import Prompt, Result, Session, TerminalProcess

GRACE = 1.0
"""Seconds that a command has to end once it is interrupted."""

NEXT = "the next command starts another"

UNSAID = 0.1
"""Seconds after which a Bash that waits for a command no longer says how the last one ended."""

LOOK_UP = 0.1
"""Seconds after which a silent Bash is looked at: nothing tells when it has ended."""

DRAIN = 0.05
"""Seconds for which output is read on after a command, where processes are left that may still print some of it."""

CROWDED = 1 / 2
"""The part of the session's processes that the shell's jobs may take."""

_SAY = ' { \\builtin printf %d "$((256+$?))" >|"/proc/$$/coredump_filter"; } >/dev/null 2>&1 || \\builtin :'

_PASTED, _PASTE_ENDS = b"\x1b[200~", b"\x1b[201~"
"""Around what is typed: the line editor takes that as a whole, and none of it for a key."""

_SET_UP = (
    "PS1= PS2=; \\builtin set +o history +H; \\builtin bind 'set enable-bracketed-paste off'; "
    "for _ in emacs vi-insert; do \\builtin bind -m $_ '\"\\e[200~\": bracketed-paste-begin'; done; "
    "\\builtin history -c;" + _SAY
)
"""No prompts, for their text is output; no history, for it would be a file of the agent's, and `!` would be special."""

_BEGIN, _WHOLE = "# begin\n", "# whole\n"

_TELL = (
    "echo '# begin'; declare -p; declare -f; alias -p; shopt -p; set +o; umask -p; trap -p; "
    "(($#)) && { printf 'set --'; printf ' %q' \"$@\"; echo; }; [ . -ef \"${PWD:-.}\" ] && echo '# whole'"
)
"""Prints what, evaluated, makes another Bash the same; `_WHOLE` at its end, unless the directory it is in is gone."""

_WRITTEN = {code: f"\\x{code:02x}" for code in (*range(ord(" ")), *range(127, 256))} | {
    ord("\\"): "\\\\",
    ord("'"): "\\'",
}
"""How bytes are written in `$'…'` that are no plain characters, or special there."""


@dataclass(frozen=True, slots=True)
class _End:
    """How a command ended. *prompt*: the shell waits for the next one; None: it has ended, or had to be killed."""

    prompt: Prompt | None
    fate: str = ""


class PersistentShell(Shell):
    """A Bash that is started with the first command, and anew after it has ended or had to be killed."""

    def __init__(self, session: Session, *, seconds: float) -> None:
        self._session, self.seconds = session, seconds
        self.cwd = session.image.workdir
        self._process: TerminalProcess | None = None
        self._last = 0

    def run(self, command: str) -> Observation:
        """See `Shell.run`. Output of background jobs is in the observation of whatever command is running then."""
        if problem := find_fault(command):
            return Observation(f"[{problem}]")
        started = time.monotonic()
        process = self._running() or self._start()
        output = OutputBuffer(self._session.limits.output)
        with suppress(BrokenPipeError):  # it has just ended: `_wait` will see that
            process.send(_typed(command, self._last))
        try:
            end = self._wait(process, output)
        except KeyboardInterrupt:
            self._interrupt(process, output)  # nobody waits for it any more; the shell lives on if it can
            raise
        return self._observation(process, output, end, time.monotonic() - started)

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
        script, whole, _ = described.text.partition(_BEGIN)[2].rpartition(_WHOLE)
        if not whole:
            raise SnapshotError(
                f"the shell's directory {self.cwd} is gone, where no other shell can begin: snapshot elsewhere"
            )
        return ShellState(self.cwd, script, last)

    def recall(self, memory: ShellState) -> None:
        """See `Shell.recall`. What cannot be set (`$$`, `UID`) stays this shell's own."""
        super().recall(memory)
        if memory.script:
            self.run(memory.script)
            self._last = memory.last

    def _running(self) -> TerminalProcess | None:
        """Return the Bash of the last command, unless a job or a signal has ended it since."""
        if self._process is not None and self._process.exit_code is not None:
            self.close()
        return self._process

    def _start(self) -> TerminalProcess:
        env = {**HASH_SEED, **self._session.image.env}
        argv = [BASH, "--norc", "--noprofile", "-i"]
        self._process = process = self._session.open_terminal(argv, cwd=self.cwd, env=env)
        self._last = 0
        with suppress(BrokenPipeError):  # it could not be started: the command's `_wait` will see that
            process.send(_SET_UP.encode() + b"\n")
            _read(process, OutputBuffer(0), self.seconds)
        return process

    def _wait(self, process: TerminalProcess, output: OutputBuffer) -> _End:
        """Read until the command has ended, by itself or because it had to."""
        prompt = _read(process, output, self.seconds)
        if prompt is not None or process.exit_code is not None:
            return _End(_ask_again(process, output, prompt))
        return self._interrupt(process, output)

    def _interrupt(self, process: TerminalProcess, output: OutputBuffer) -> _End:
        """End the command, and where it does not heed that the shell."""
        for number in (signal.SIGINT, signal.SIGQUIT):
            process.signal(number)
            if prompt := _read(process, output, GRACE):
                return _End(_ask_again(process, output, prompt), "interrupted")
        self.close()
        return _End(None, "killed, and the shell with it: its variables, functions and jobs are gone")

    def _observation(self, process: TerminalProcess, output: OutputBuffer, end: _End, seconds: float) -> Observation:
        prompt = end.prompt
        status = (process.exit_code or 0) if prompt is None else prompt.status
        self._last = status or 0
        cut = output.total > len(output.data)
        result = Result(status or 0, bytes(output.data), b"", bool(end.fate), cut, seconds, output.total)
        seen = observe(result, seconds=self.seconds, fate=end.fate)
        if prompt is None:
            self.close()
            notice = "" if end.fate else f"the shell has ended with status {status}: {NEXT}"
        else:
            self.cwd = prompt.cwd or self.cwd
            notice = "" if status is not None else "the shell does not say with which status that ended"
            if prompt.processes > CROWDED * self._session.limits.processes:
                self.close()
                notice = f"the shell was ended: {prompt.processes} processes are more than its jobs may take; {NEXT}"
        seen = replace(seen, exit_code=None) if status is None else seen
        return replace(seen, text=with_notice(seen.text, notice)) if notice else seen

    def close(self) -> None:
        """Kill it and its jobs."""
        if self._process is not None:
            self._process.close()
            self._process = None


def _typed(command: str, last: int) -> bytes:
    """Return what is typed: the last status for `$?`, the command, and that Bash shall say how it went."""
    word = command.encode().decode("latin-1").translate(_WRITTEN)
    status = f"(exit {last}) || " if last else ""
    return _PASTED + f"{status}\\builtin eval $'{word}';{_SAY}".encode("ascii") + _PASTE_ENDS + b"\n"


def _read(process: TerminalProcess, output: OutputBuffer, seconds: float) -> Prompt | None:
    """Read until the shell waits for the next command; None if it ends instead, or *seconds* are too few.

    It waits when it has said how the last command ended, or is idle for a while and has not.
    """
    deadline, busy_at, block = time.monotonic() + seconds, time.monotonic(), b""
    while True:
        asked = time.monotonic()
        block = process.receive(0 if block else max(0, min(deadline - asked, LOOK_UP)))
        output.add(block)
        now = time.monotonic()
        prompt = None if block else process.prompt()
        if prompt is None or (prompt.status is None and not prompt.is_idle):
            busy_at = now
            is_silent = process.is_left or now - asked >= LOOK_UP
            if now >= deadline or (is_silent and not block and process.exit_code is not None):
                _drain(process, output, 0)
                return None
        elif prompt.status is not None or now - busy_at > UNSAID:
            _drain(process, output, DRAIN if prompt.processes > 1 else 0)
            grown = process.prompt() if prompt.processes > 1 else None  # a fork bomb has gone off meanwhile
            return replace(prompt, processes=max(prompt.processes, grown.processes if grown else 0))


def _ask_again(process: TerminalProcess, output: OutputBuffer, prompt: Prompt | None) -> Prompt | None:
    """Ask a shell that waits and has not said how the last command ended: SIGINT has it give up the rest of a line.

    First an empty line is typed: it may be `read -e` that waits.
    """
    for line in ("", _SAY):
        if prompt is None or prompt.status is not None:
            return prompt
        with suppress(BrokenPipeError):  # it has just ended, which the next command will see
            process.send(f"{line}\n".encode())
        prompt = _read(process, output, GRACE) or prompt
    if prompt is not None and prompt.status == 128 + signal.SIGINT:
        output.drop_end(b"\n")  # so Bash ends the line on which a terminal shows ^C
    return prompt


def _drain(process: TerminalProcess, output: OutputBuffer, seconds: float) -> None:
    """Read what is there, and what comes a little later: of `exec > >(tee log)` all does."""
    deadline = time.monotonic() + seconds
    while block := process.receive(max(0, deadline - time.monotonic())):
        output.add(block)
        if time.monotonic() > deadline + DRAIN:
            return
