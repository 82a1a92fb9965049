"""Programs that do not outlive us, however this process ends.

A small shell stands between, the guard. It reads a socket until we close it or die, and then sends the program's whole
process group a signal. Should the guard itself be killed, the kernel signals the program (PDEATHSIG). Asking the kernel
for that without a guard would not do: it counts as death when the *thread* that started a program ends.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from math import inf
from pathlib import Path
from typing import IO, Literal

from intercode_sandbox.util.closing import Closeable
from intercode_sandbox.util.polling import readable

GUARD = """
ulimit -c 0
signal=$1 input=$2 cleanup=$3
shift 3
setsid setpriv --pdeathsig "$signal" "$@" <"$input" &
child=$!
trap '' INT HUP QUIT
echo $child >&0
exec >/dev/null 2>&1
read -r _
kill -s "$signal" -- -$child || kill -s "$signal" $child
wait $child
status=$?
eval "$cleanup"
exit $status
"""

PROGRAMS = ("setsid", "setpriv")

Output = IO[bytes] | int | None
"""What `subprocess.Popen` takes for an output: an open file, a descriptor, or None for this process's own."""

_all: weakref.WeakSet[ChildProcess] = weakref.WeakSet()


class ChildProcess(Closeable):
    """A program that runs beside us, in a session of its own: a Ctrl-C at our terminal is not meant for it.

    *signal* ends it, with everything in its process group; TERM is for those that have something to tidy up and do.
    *privileges* are options of `setpriv`, such as `--reuid`. *cleanup* is a command that runs after it has ended,
    whether we still live or not; `close` waits for that too.

    Raises:
        OSError: If it cannot be started; a program that is not there ends with 127.
    """

    def __init__(
        self, argv: Sequence[str], *, stdin: Path = Path(os.devnull), stdout: Output = subprocess.DEVNULL,
        stderr: Output = subprocess.DEVNULL, env: Mapping[str, str] | None = None,
        signal: Literal["KILL", "TERM"] = "KILL", privileges: Sequence[str] = (), cleanup: Sequence[str] = (),
    ) -> None:  # fmt: skip
        _check_programs()
        _watch_forks()
        self._lock = threading.Lock()
        self._life = -1
        self._channel, inner = socket.socketpair()
        command = ["sh", "-c", GUARD, "intercode-guard", signal, str(stdin), shlex.join(cleanup)]
        command += [*privileges, "--", *argv]
        with inner:
            pipe = inner.fileno()
            try:
                self._guard: subprocess.Popen[bytes] = subprocess.Popen(
                    command, stdin=pipe, stdout=stdout, stderr=stderr, env=env, cwd="/", start_new_session=True
                )
            except BaseException:
                self._channel.close()
                raise
        _all.add(self)
        with self._channel.makefile("rb") as file:
            self.pid = int(file.readline() or 0)
        with suppress(ProcessLookupError):
            self._life = os.pidfd_open(self.pid)

    @property
    def alive(self) -> bool:
        """Return whether the program still runs."""
        with self._lock:
            return self._life >= 0 and not readable(self._life, 0)

    @property
    def exit_code(self) -> int | None:
        """As a shell tells it, once it is closed; None before."""
        code: int | None = self._guard.returncode
        return code

    def wait(self, seconds: float = inf) -> bool:
        """Wait for the program to end by itself; False when it did not."""
        return self._life < 0 or readable(self._life, seconds)

    def close(self) -> None:
        """End it, and wait until it has ended and its clean-up is done. Closing twice is harmless."""
        with self._lock:
            self._channel.close()
            self._guard.wait()
            if self._life >= 0:
                os.close(self._life)
                self._life = -1

    def forget(self) -> None:
        """In a fork of this process: let go of it, since it belongs to the parent."""
        self._lock = threading.Lock()
        self._channel.close()
        if self._life >= 0:
            os.close(self._life)
            self._life = -1


def run(
    argv: Sequence[str], *, stdout: Output, stderr: Output, env: Mapping[str, str], signal: Literal["KILL", "TERM"]
) -> int:
    """Run *argv* from `/` without input and return its exit status; it ends when this call is interrupted."""
    with ChildProcess(argv, stdout=stdout, stderr=stderr, env=env, signal=signal) as child:
        child.wait()
    assert child.exit_code is not None
    return child.exit_code


def _check_programs() -> None:
    for program in PROGRAMS:
        if shutil.which(program) is None:
            raise FileNotFoundError(f"there is no {program} here: install util-linux")


@cache
def _watch_forks() -> None:
    """A fork would hold the guards' sockets open beyond our end."""
    os.register_at_fork(after_in_child=_forget_all)


def _forget_all() -> None:
    for child in list(_all):
        with suppress(OSError):
            child.forget()
    _all.clear()


def resident_memory(pid: int) -> int:
    """Return the bytes of memory that a process has resident; 0 for one that is gone."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
