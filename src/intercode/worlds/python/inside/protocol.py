"""Orders in, answers out."""

import marshal
import os
import sys

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ORDERS, ANSWERS = 198, 199
"""Descriptors, out of the way of any code's own."""

word = b""
"""What stands before an answer; set when the program begins."""


def answer(key: str, text: str) -> None:
    """Say what became of the order that brought *key*."""
    write(b"\0%s%s %s\0" % (word, key.encode(), text.encode("utf-8", "backslashreplace")))


def write(data: bytes) -> None:
    """Write all of it to the host."""
    while data:
        data = data[os.write(ANSWERS, data) :]


def take() -> "Any":
    """Return the next order; ends this process when there will be none."""
    return marshal.loads(exactly(int.from_bytes(exactly(4), "big")))


def exactly(size: int) -> bytes:
    """So many bytes of orders."""
    data = b""
    while len(data) < size:
        try:
            block = os.read(ORDERS, size - len(data))
        except OSError:
            block = b""
        if not block:
            os._exit(1)
        data += block
    return data


def wait(process: int) -> None:
    """Wait for the end of a child, and leave it there: nobody else gets its number meanwhile."""
    try:
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:  # the agent has asked not to be told of its children
        return


def ended(process: int) -> int:
    """Wait for the end of a child; its status as a shell has it."""
    try:
        status = os.waitpid(process, 0)[1]
    except ChildProcessError:  # the agent has asked not to be told of its children
        return 0
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def flush() -> None:
    """What is printed comes before what is told of it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the agent may have put anything there
            continue
