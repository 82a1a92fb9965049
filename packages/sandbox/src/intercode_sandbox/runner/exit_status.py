"""What the wait status of a job says: as an exit code, and in words where it could not be executed."""

from __future__ import annotations

import errno
import os

from intercode_sandbox.runner import protocol


def exit_code(status: int) -> int:
    """As a shell tells it: 128 + n after signal n, 127 for no such program, 126 for one that cannot be executed."""
    if status < 0:
        return 127 if -status == errno.ENOENT else 126
    return status >> 8 & 0xFF if status & 0x7F == 0 else 128 + (status & 0x7F)


def why_not(status: int, program: str, cwd: str) -> bytes:
    """Return what to tell the agent of a program that could not be executed."""
    reason = os.strerror(-status & ~(protocol.BAD_FOLDER | protocol.BAD_USER))
    if -status & protocol.BAD_USER:
        return os.fsencode(f"{program}: this session cannot run it as that user: {reason}\n")
    return os.fsencode(f"{cwd if -status & protocol.BAD_FOLDER else program}: {reason}\n")
