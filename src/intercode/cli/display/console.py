"""Where things are shown: the only consoles of the program, and none of them lets text steer the terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from intercode.util.terminal import escape_control_characters as escape_control_characters
from intercode.util.terminal import raw_stream

WIDE = 160

LONGEST = 2000
"""Characters of a text that are shown in a table: to wrap megabytes takes Rich minutes."""


class SafeConsole(Console):
    """A console on which only what draws has colours and moves the cursor: control characters in texts are escaped.

    For a file or a pipe nothing is padded or wrapped: a table has a line for each row, with a tab between two cells.
    """

    def __init__(self, stream: TextIO) -> None:
        self.is_plain = not (stream.isatty() or "COLUMNS" in os.environ)
        # No markup: `[link=…]` in a task's id would be a command to the terminal, and `[/x]` an error.
        super().__init__(file=raw_stream(stream), markup=False, highlight=False, emoji=False, width=_width(stream))

    def print(self, *objects: Any, **options: Any) -> None:
        if self.is_plain and all(isinstance(each, str | Text | Table) for each in objects):
            objects = tuple(_plain(each) if isinstance(each, Table) else each for each in objects)
            options = {"soft_wrap": True, **options}
        super().print(*objects, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the pieces that *renderable* is drawn with, their texts escaped."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else escape_control_characters(text), style, control)


def out() -> Console:
    """Standard output, for reports."""
    return SafeConsole(sys.stdout)


def err() -> Console:
    """Standard error, for messages and progress."""
    return SafeConsole(sys.stderr)


def is_plain(out: Console) -> bool:
    """Return whether *out* is for programs: a file or a pipe."""
    return isinstance(out, SafeConsole) and out.is_plain


def short(text: str, most: int = LONGEST) -> str:
    """Return *text* as a table has it: visible, and where it goes on for very long only its beginning."""
    left = len(text) - most
    return (
        escape_control_characters(text)
        if left <= 0
        else f"{escape_control_characters(text[:most])}… and {left} more characters"
    )


def print_json(data: Any) -> None:
    """One JSON document on standard output, NaN as null. It is printable ASCII, whatever *data* holds."""
    print(json.dumps(_finite(data), indent=2).replace("\x7f", "\\u007f"))


def quiet() -> bool:
    """Return whether progress is of no use to anyone: in continuous integration."""
    return bool(os.environ.get("CI"))


def _width(stream: TextIO) -> int | None:
    """None where there is a terminal (or COLUMNS) to ask; files and pipes get room, since nobody widens them."""
    return None if stream.isatty() or "COLUMNS" in os.environ else WIDE


def _plain(table: Table) -> Segments:
    """Return *table* as text for programs. Text that Rich lays out would have no tabs."""
    columns = [[column.header, *column.cells] for column in table.columns]
    rows = list(zip(*columns, strict=True))[0 if table.show_header else 1 :]
    return Segments([Segment("\n".join("\t".join(map(_in_one_line, row)) for row in rows) + "\n")])


def _in_one_line(cell: RenderableType) -> str:
    return " ".join((cell.plain if isinstance(cell, Text) else str(cell)).split())


def _finite(data: Any) -> Any:
    """Return the same with null for what JSON has no number for."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and data != data else data
