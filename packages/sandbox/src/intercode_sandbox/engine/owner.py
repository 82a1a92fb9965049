"""The owner of what is made at an engine: a word that names a process, as a label.

The engine may be elsewhere, or shared with others, and this may be no Linux.
"""

from __future__ import annotations

import os
import platform
from importlib import import_module
from typing import Any

from intercode_sandbox.util import process_identity
from intercode_sandbox.util.operating_system import is_linux


def this_process() -> str:
    """Return the machine's name and what is this process's alone on it."""
    process = process_identity.this_process() if is_linux() else _identity(os.getpid())
    return f"{platform.node()}/{process}"


def is_dead(word: str) -> bool:
    """Return whether the process so named has ended. One of another machine, of which we know nothing, has not."""
    machine, _, process = word.rpartition("/")
    if machine != platform.node():
        return False
    if is_linux():
        return process_identity.is_dead(process)
    pid = process.partition(":")[0]
    return process.count(":") == 1 and pid.isdecimal() and _identity(int(pid)) != process


def _identity(pid: int) -> str:
    """Return the process's id and, in milliseconds, when it began; empty for none."""
    psutil: Any = import_module("psutil")
    try:
        return f"{pid}:{int(psutil.Process(pid).create_time() * 1000)}"
    except psutil.NoSuchProcess:
        return ""
