"""Programs that do not outlive us: neither a program nor its folder is left behind, however this process ends.

A small shell stands between. It waits for its standard input to end, which happens when we close it and when this
process dies; then it kills the server and removes the folder. Should the shell be killed, the kernel kills the server
(PDEATHSIG). The shell is a session of its own, so that a Ctrl-C meant for us does not reach it.
"""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from intercode.polling import readable

SCRIPT = """
trap '' INT HUP QUIT
ulimit -c 0
folder=$1 input=$2
shift 2
setpriv --pdeathsig KILL --no-new-privs "$@" <"$input" >>"$folder/log" 2>&1 &
server=$!
echo $server
exec >/dev/null 2>&1
read -r _
kill -KILL $server
wait $server
rm -rf "$folder"
"""
"""The program's standard input is a file, its output goes to the folder's log; its process id is told first."""

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "TZ": "UTC"}

_all: weakref.WeakSet[ManagedProcess[Any]] = weakref.WeakSet()

Shelter = TypeVar("Shelter", bound="PrivateDirectory")


class PrivateDirectory(Protocol):
    """The folder of a program. `drop` is what `setpriv` is told, so that the program has the owner's rights only."""

    folder: Path

    @property
    def drop(self) -> Sequence[str]:
        """Options of `setpriv`."""

    def remove(self) -> None:
        """Remove the folder."""

    def forget(self) -> None:
        """Let go of it without removing it."""


class ManagedProcess(Generic[Shelter]):
    """A program that runs in a *shelter*, as its owner, and reads *stdin*; the shelter goes when it ends."""

    def __init__(self, shelter: Shelter, argv: Sequence[str], *, stdin: Path = Path("/dev/null")) -> None:
        _watch_forks()
        self.shelter = shelter
        self._lock = threading.Lock()
        self._life = -1
        command = ["sh", "-c", SCRIPT, "intercode-guard", str(shelter.folder), str(stdin), *shelter.drop, "--", *argv]
        try:
            self._shell = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
                env=ENVIRONMENT,
            )
        except OSError:
            shelter.remove()
            raise
        _all.add(self)
        assert self._shell.stdout
        with self._shell.stdout as told:
            self.pid = int(told.readline() or 0)
        with suppress(ProcessLookupError):
            self._life = os.pidfd_open(self.pid)

    def alive(self) -> bool:
        """Whether the program still runs."""
        with self._lock:
            return self._life >= 0 and not readable(self._life, 0)

    def wait(self, seconds: float) -> bool:
        """Wait for the program to end by itself; False when it did not."""
        return self._life < 0 or readable(self._life, seconds)

    def close(self) -> None:
        """Kill it, and wait until it and its shelter are gone. Closing twice is harmless."""
        with self._lock:
            if self._shell.stdin and not self._shell.stdin.closed:
                self._shell.stdin.close()
            self._shell.wait()
            if self._life >= 0:
                os.close(self._life)
                self._life = -1
        self.shelter.remove()

    def forget(self) -> None:
        """In a fork of this process: let go of it, since it belongs to the parent."""
        self._lock = threading.Lock()
        self.shelter.forget()
        if self._shell.stdin and not self._shell.stdin.closed:
            os.close(self._shell.stdin.fileno())
        if self._life >= 0:
            os.close(self._life)
            self._life = -1


@cache
def _watch_forks() -> None:
    """A fork would hold the shells' standard inputs open beyond our end."""
    os.register_at_fork(after_in_child=_forget_all)


def _forget_all() -> None:
    for guarded in list(_all):
        with suppress(OSError):
            guarded.forget()
    _all.clear()
