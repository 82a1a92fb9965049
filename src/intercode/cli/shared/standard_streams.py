"""The program's standard input, output and error, as whoever starts it may have left them."""

from __future__ import annotations

import errno
import os
import sys
from io import FileIO, TextIOWrapper

FULL = (errno.ENOSPC, errno.EDQUOT)
"""A disk has no room, or its user may take no more of it."""


def prepare() -> None:
    r"""Have all three, and have them take any text.

    A stream that is closed becomes one that goes nowhere: otherwise the next file that is opened would have its number,
    and get what is printed. What the encoding of the output lacks is printed as `\xe4`.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if not _is_open(number):
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it takes the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, TextIOWrapper(FileIO(number, "w" if number else "r", closefd=False), encoding="utf-8"))
        errors = "backslashreplace" if number else "surrogateescape"  # bytes that are not UTF-8 may be typed
        if hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(errors=errors)


def discard_output() -> None:
    """Send what is still to be printed nowhere, so that the end of the program does not fail on it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
