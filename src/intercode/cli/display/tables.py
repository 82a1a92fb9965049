"""Tables of figures, on a terminal or in the format that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from intercode.cli.display import console
from intercode.cli.display.console import short
from intercode.report.table import Cell, Column, to_csv, to_latex, to_long_csv, to_markdown
from intercode.report.table import Table as Sheet

HALF = 0.5
GAP = 2
"""Blanks between two columns."""

LONGEST_LINE = 16
"""Characters of a run's name in one line of a narrow heading."""


def show(sheets: Sequence[Sheet], form: str, data: Any, json: bool = False) -> None:
    """Print *sheets* as *form* says, or *data* as JSON. CSV has a line for each figure."""
    if json or form == "json":
        console.print_json(data)
    elif form == "markdown":
        print(to_markdown(sheets))
    elif form == "latex":
        print(to_latex(sheets))
    elif form == "csv":
        print(to_long_csv(sheets), end="")
    else:
        draw(console.out(), sheets)


def show_rows(sheet: Sheet, form: str, data: Any) -> None:
    """Print a list as *form* says, which is not `table`, or *data* as JSON. CSV has a line for each row."""
    if form == "csv":
        print(to_csv(sheet), end="")
    else:
        show([sheet], form, data)


def draw(out: Console, sheets: Sequence[Sheet]) -> None:
    """One under the other, each with its name and its note. What is too wide is drawn in parts: no figure is cut."""
    for number, sheet in enumerate(sheets):
        if number:
            out.print()
        out.print(Text(sheet.name, style="bold"))
        narrow = not console.is_plain(out) and _width(sheet, narrow=False) > out.width
        for place, part in enumerate(_parts(sheet, out.width) if narrow else [sheet]):
            if place:
                out.print()
            out.print(table(part, narrow=narrow))
        if sheet.note:
            out.print(Text(short(sheet.note), style="yellow"))


def table(
    sheet: Sheet, *, narrow: bool = False, unbroken: Sequence[str] = (), styles: Mapping[str, str] | None = None
) -> Table:
    """Return *sheet* as a terminal shows it.

    Args:
        sheet: What to show.
        narrow: Whether the words of a heading stand below each other.
        unbroken: The names of the columns with texts that stay in one line, besides those with figures.
        styles: How a cell with this text looks.
    """
    drawn = Table(box=None, pad_edge=False, header_style="dim")
    for column in sheet.columns:
        is_text = column.kind == "text"
        drawn.add_column(
            _heading(column, narrow=narrow),
            justify="left" if is_text else "right",
            no_wrap=not is_text or column.name in unbroken,
            overflow="fold",
        )
    known = styles or {}
    for row, cells in zip(sheet.texts(), sheet.rows, strict=True):
        words = zip(row, cells, sheet.columns, strict=True)
        drawn.add_row(*(_cell(word, known.get(word) or _style(column, cell)) for word, cell, column in words))
    return drawn


def _cell(word: str, style: str) -> str | Text:
    return Text(short(word), style=style) if style else short(word)


def _style(column: Column, cell: Cell) -> str:
    """Return how a figure looks: success is green where it is the rule, and red where it is the exception."""
    if column.kind == "success" and isinstance(cell, float | int):
        return "green" if cell > HALF else "red" if cell < HALF else ""
    if column.kind == "count" and column.name == "errors":
        return "red" if cell else ""
    return ""


def fits(sheet: Sheet, width: int, *, without: Sequence[str] = ()) -> bool:
    """Return whether its columns, but those in *without*, have room beside each other in *width* characters."""
    places = [place for place, column in enumerate(sheet.columns) if column.name not in without]
    return _width(_with(sheet, places), narrow=False) <= width


def _parts(sheet: Sheet, width: int) -> Iterator[Sheet]:
    """Its columns in as many parts as *width* asks for, about equally wide; in all are the texts that rows begin with.

    An interval is in one part with what it is the interval of.
    """
    names = len(list(takewhile(lambda column: column.kind == "text", sheet.columns)))
    room = width - min(width // 2, _width(_with(sheet, range(names)), narrow=True))
    figures = [(places, _width(_with(sheet, places), narrow=True) + GAP) for places in _figures(sheet, names)]
    fewest = len(_pack_columns(figures, room))
    least = next((each for each in range(1, room) if len(_pack_columns(figures, each)) == fewest), room)
    for part in _pack_columns(figures, least):
        yield _with(sheet, [*range(names), *part])


def _pack_columns(figures: Sequence[tuple[list[int], int]], room: int) -> list[list[int]]:
    """Return the places of *figures*, which are so wide, in parts that are as full as *room* lets them be."""
    parts: list[list[int]] = [[]]
    left = room
    for places, width in figures:
        if parts[-1] and width > left:
            parts.append([])
            left = room
        parts[-1] += places
        left -= width
    return parts


def _figures(sheet: Sheet, first: int) -> list[list[int]]:
    """Return the places of its columns from the *first* on, each figure's with that of its interval."""
    found: list[list[int]] = []
    for place in range(first, len(sheet.columns)):
        if found and sheet.columns[place].is_interval:
            found[-1].append(place)
        else:
            found.append([place])
    return found


def _with(sheet: Sheet, places: Iterable[int]) -> Sheet:
    """Return *sheet* with the columns at *places* only."""
    columns = list(places)
    rows = tuple(tuple(row[place] for place in columns) for row in sheet.rows)
    return replace(sheet, columns=tuple(sheet.columns[place] for place in columns), rows=rows)


def _width(sheet: Sheet, *, narrow: bool) -> int:
    """Characters that its columns take, beside each other."""
    lines = list(sheet.texts())
    cells = [
        max(cell_len(part) for part in (*_heading(column, narrow=narrow).split("\n"), *cells))
        for column, *cells in zip(sheet.columns, *lines, strict=True)
    ]
    return sum(cells) + GAP * max(0, len(cells) - 1)


def _heading(column: Column, *, narrow: bool) -> str:
    """Its name; *narrow*: the words below each other. An interval stands beside its figure and need not name it."""
    if column.is_interval:
        return column.name.partition(",")[0]
    if not narrow:
        return column.name
    return "\n".join(line for word in column.name.split() for line in _break_name(word))


def _break_name(name: str) -> list[str]:
    """Return *name*, which may be a run's, in lines that are not long: each ends where a part of it does."""
    lines = [""]
    for part in re.findall(r"[^-_/:]*[-_/:]?", name):
        if lines[-1] and len(lines[-1]) + len(part) > LONGEST_LINE:
            lines.append("")
        lines[-1] += part
    return lines
