"""A program beside ours that removes our containers when we end, in whatever way: nobody else would.

`intercode doctor --clean` removes what is left where that program was killed, too.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from intercode_sandbox.engine.command import DETACHED

PROGRAM = """
import subprocess, sys, time
label, command = sys.argv[1], sys.argv[2:]
was_closed = sys.stdin.readline()
for _ in range(1 if was_closed else 5):  # the engine may still be making one
    found = subprocess.run([*command, "ps", "-aq", "--filter", label], capture_output=True, text=True).stdout.split()
    if found:
        subprocess.run([*command, "rm", "--force", "--volumes", *found], capture_output=True)
    if not was_closed:
        time.sleep(1)
"""
"""It waits for a line, or for the end of its standard input, which is that of the program that wrote to it."""


class Reaper:
    """Removes the containers with a *label* by the engine's *command* when closed, or when this process has ended."""

    def __init__(self, command: Sequence[str], label: str) -> None:
        silent = subprocess.DEVNULL
        self._popen = subprocess.Popen(
            [sys.executable, "-I", "-c", PROGRAM, f"label={label}", *command],
            stdin=subprocess.PIPE, stdout=silent, stderr=silent, **DETACHED,
        )  # fmt: skip

    def close(self) -> None:
        """Remove what is left, and wait for that."""
        assert self._popen.stdin is not None
        with suppress(OSError):  # somebody has killed it
            self._popen.stdin.write(b"closed\n")
            self._popen.stdin.flush()
        self._popen.wait()
        with suppress(OSError):
            self._popen.stdin.close()
