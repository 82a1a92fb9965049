"""A word that names a process where the engine may be elsewhere, or shared with others, and this may be no Linux."""

from __future__ import annotations

import os
import platform
from importlib import import_module
from typing import Any

from intercode.operating_system import is_linux
from intercode.sandboxes.core import process_identity

_MARK = "cli"


def this_process() -> str:
    """The machine's name and what is this process's alone on it.

    It has no colons, so that the docker sandbox, which knows only this machine, takes it for nobody's.
    """
    process = process_identity.this_process() if is_linux() else _identity(os.getpid())
    return f"{_MARK}/{platform.node()}/{process}".replace(":", ",")


def is_dead(word: str) -> bool:
    """Whether the process so named has ended. One of another machine, of which we know nothing, has not."""
    mark, _, rest = word.partition("/")
    machine, _, process = rest.replace(",", ":").rpartition("/")
    if mark != _MARK or machine != platform.node().replace(",", ":"):
        return False
    if is_linux():
        return process_identity.is_dead(process)
    pid = process.partition(":")[0]
    return process.count(":") == 1 and pid.isdecimal() and _identity(int(pid)) != process


def _identity(pid: int) -> str:
    """The process's id and, in milliseconds, when it began; empty for none."""
    psutil: Any = import_module("psutil")
    try:
        return f"{pid}:{int(psutil.Process(pid).create_time() * 1000)}"
    except psutil.NoSuchProcess:
        return ""
