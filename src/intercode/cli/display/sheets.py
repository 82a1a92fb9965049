"""Tables of figures, on a terminal or in the format that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from intercode.cli.display import console
from intercode.cli.display.console import visible
from intercode.runs.report.sheet import Sheet, to_long_csv, to_markdown

FORMATS = ("table", "markdown", "csv")

GAP = 2
"""Blanks between two columns."""


def show(sheets: Sequence[Sheet], form: str, data: Any, json: bool) -> None:
    """Print *sheets* as *form* says, or *data* as JSON."""
    if json:
        console.print_json(data)
    elif form == "markdown":
        print(to_markdown(sheets))
    elif form == "csv":
        print(to_long_csv(sheets), end="")
    else:
        draw(console.out(), sheets)


def draw(out: Console, sheets: Sequence[Sheet]) -> None:
    """One under the other, each with its name and its note. What is too wide is drawn in parts: no figure is cut."""
    for number, sheet in enumerate(sheets):
        if number:
            out.print()
        out.print(Text(sheet.name, style="bold"))
        narrow = _width(sheet, cell_len) > out.width
        for part in _parts(sheet, out.width) if narrow else [sheet]:
            out.print(table(part, narrow=narrow))
        if sheet.note:
            out.print(Text(visible(sheet.note), style="yellow"))


def table(sheet: Sheet, *, narrow: bool = False) -> Table:
    """*sheet* as a terminal shows it. *narrow*: with a heading's words below each other."""
    drawn = Table(box=None, pad_edge=False, header_style="dim")
    for column in sheet.columns:
        is_text = column.kind == "text"
        heading = column.name.replace(" ", "\n") if narrow and column.kind != "interval" else column.name
        drawn.add_column(heading, justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    for row in sheet.texts():
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    return drawn


def _parts(sheet: Sheet, width: int) -> Iterator[Sheet]:
    """Its columns in as many parts as *width* asks for; the texts that each row begins with are in all of them."""
    names = len(list(takewhile(lambda column: column.kind == "text", sheet.columns)))
    room = width - min(width // 2, _width(_with(sheet, range(names)), _longest_word))
    part: list[int] = []
    for place in range(names, len(sheet.columns)):
        if part and _width(_with(sheet, [*part, place]), _longest_word) + GAP > room:
            yield _with(sheet, [*range(names), *part])
            part = []
        part.append(place)
    yield _with(sheet, [*range(names), *part])


def _with(sheet: Sheet, places: Iterable[int]) -> Sheet:
    """*sheet* with the columns at *places* only."""
    kept = list(places)
    rows = tuple(tuple(row[place] for place in kept) for row in sheet.rows)
    return replace(sheet, columns=tuple(sheet.columns[place] for place in kept), rows=rows)


def _width(sheet: Sheet, heading: Callable[[str], int]) -> int:
    """Characters that its columns take, beside each other, with headings of that width."""
    lines = list(sheet.texts())
    cells = [
        max([heading(column.name), *(cell_len(line[at]) for line in lines)]) for at, column in enumerate(sheet.columns)
    ]
    return sum(cells) + GAP * max(0, len(cells) - 1)


def _longest_word(heading: str) -> int:
    return max(map(cell_len, heading.split(" ")))
