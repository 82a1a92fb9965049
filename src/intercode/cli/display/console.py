"""Where things are shown: the only consoles of the program, and none of them lets text steer the terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from intercode.terminal import unprotected
from intercode.terminal import visible as visible

WIDE = 160

LONGEST = 2000
"""Characters of a text that are shown in a table: to wrap megabytes takes Rich minutes."""


class SafeConsole(Console):
    """A console on which only what draws has colours and moves the cursor: control characters in texts are escaped."""

    def __init__(self, stream: TextIO) -> None:
        # No markup: `[link=…]` in a task's id would be a command to the terminal, and `[/x]` an error.
        super().__init__(file=unprotected(stream), markup=False, highlight=False, emoji=False, width=_width(stream))

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The pieces that *renderable* is drawn with, their texts escaped."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)


def out() -> Console:
    """Standard output, for reports."""
    return SafeConsole(sys.stdout)


def err() -> Console:
    """Standard error, for messages and progress."""
    return SafeConsole(sys.stderr)


def short(text: str, most: int = LONGEST) -> str:
    """*text* as a table has it: visible, and where it goes on for very long only its beginning."""
    left = len(text) - most
    return visible(text) if left <= 0 else f"{visible(text[:most])}… and {left} more characters"


def print_json(data: Any) -> None:
    """One JSON document on standard output, NaN as null. It is printable ASCII, whatever *data* holds."""
    print(json.dumps(_finite(data), indent=2).replace("\x7f", "\\u007f"))


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
