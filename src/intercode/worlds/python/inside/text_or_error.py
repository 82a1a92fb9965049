"""What code says, or the error that it raises: a text in any case."""

import os

from intercode.worlds.python.inside.protocol import ended

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

RAISED = "\2"
"""Stands before the name of an error; alone, it says that the process has ended."""


def text_or_error(act: "Callable[[], str]") -> str:
    """Return what *act* returns, or what it raises."""
    try:
        return act()
    except BaseException as error:
        return RAISED + type(error).__name__


def text_of_fork(act: "Callable[[], str]") -> str:
    """Return the same in a fork. Raises ChildProcessError where that does not end by itself."""
    said, says = os.pipe()
    process = os.fork()
    if process == 0:
        left = text_or_error(act).encode("utf-8", "surrogatepass")
        while left:
            left = left[os.write(says, left) :]
        os._exit(0)
    os.close(says)
    with open(said, "rb") as answer:
        text = answer.read().decode("utf-8", "surrogatepass")
    if ended(process):
        raise ChildProcessError
    return text or RAISED
