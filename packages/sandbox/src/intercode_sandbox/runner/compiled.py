"""The sandboxes' C programs: that they are there, and were compiled from the sources that lie beside them.

A program older than its sources speaks another protocol: sessions would hang, or take one number for another. So the
sources' fingerprint is compiled into it (`build_helper.py`, which loads this file by its path).
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

SANDBOXES = Path(__file__).resolve().parents[1]
SOURCES = ("embedded/helper", "docker/runner")
MARK = b"intercode-sources:"
"""What stands before the fingerprint in a program (see `helper/wire.c`)."""

INSTALL = "pip install --force-reinstall ./packages/sandbox"
"""What compiles them again, in a clone."""


def fingerprint(sandboxes: Path = SANDBOXES) -> str:
    """Of all C sources of the programs; empty where they were not shipped with the package."""
    digest, files = hashlib.sha256(), [path for name in SOURCES for path in sorted((sandboxes / name).glob("*.[ch]"))]
    for path in files:
        digest.update(f"{path.name} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16] if files else ""


@cache
def what_is_wrong_with(program: Path, what: str) -> str:
    """Return why *program*, which is *what*, cannot be used, with the way out; empty where it can."""
    if not program.exists():
        return f"{what} is missing ({program}): install the package again (`{INSTALL}`), with a C compiler"
    expected = fingerprint()
    if expected and MARK + expected.encode() not in program.read_bytes():
        return (
            f"{what} ({program}) was compiled from other sources than those beside it: "
            f"compile it again (`make .venv/ready`, or `{INSTALL}`)"
        )
    return ""
