"""A whole program, begun and ended as Python does it."""

import os
import sys

from intercode.worlds.python.inside.protocol import ANSWERS

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def run_program(text: str, given: bytes, space: "dict[str, Any]") -> None:
    """Run *text* with *given* as its input and the answer as its output; raises what it ends with, if not with 0."""
    redirect(given)
    try:
        exec(compile(text, "<program>", "exec"), space)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise
    finally:
        finish()


def redirect(given: bytes) -> None:
    """Let the program read *given*, and print where answers go."""
    entry = os.memfd_create("input")
    os.write(entry, given)
    os.lseek(entry, 0, os.SEEK_SET)
    os.dup2(entry, 0)
    os.dup2(ANSWERS, 1)
    # Under both names: what a program puts in the place of `sys.stdout` must not close the descriptor below it.
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8")  # type: ignore[misc]


def finish() -> None:
    """Do what Python does at the end of a program: wait for its threads, call what `atexit` knows, flush."""
    import atexit

    threading = sys.modules.get("threading")
    attempt(getattr(threading, "_shutdown", None))
    attempt(atexit._run_exitfuncs)
    for stream in (sys.stdout, sys.__stdout__):
        attempt(getattr(stream, "flush", None))


def attempt(act: "Any") -> None:
    """Call *act*, if there is such a thing. Python only prints what is raised this late."""
    try:
        if act is not None:
            act()
    except BaseException:
        return
