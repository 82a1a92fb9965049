"""Where things are shown."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

from rich.console import Console

from intercode.terminal import escape_control_characters as escape_control_characters

WIDE = 160


def out() -> Console:
    """Standard output, for reports."""
    return Console(highlight=False, emoji=False, width=_width(sys.stdout))


def err() -> Console:
    """Standard error, for messages and progress."""
    return Console(stderr=True, highlight=False, emoji=False, width=_width(sys.stderr))


def print_json(data: Any) -> None:
    """One JSON document on standard output, NaN as null."""
    print(json.dumps(_finite(data), indent=2))


def quiet() -> bool:
    """Whether progress is of no use to anyone: in continuous integration."""
    return bool(os.environ.get("CI"))


def _width(stream: TextIO) -> int | None:
    """None where there is a terminal (or COLUMNS) to ask; files and pipes get room, since nobody widens them."""
    return None if stream.isatty() or "COLUMNS" in os.environ else WIDE


def _finite(data: Any) -> Any:
    """The same with null for what JSON has no number for."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and data != data else data
