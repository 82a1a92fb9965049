"""Tables of figures, on a terminal or in the format that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from intercode.cli.display import console
from intercode.cli.display.console import visible
from intercode.runs.report.sheet import Sheet, to_long_csv, to_markdown

FORMATS = ("table", "markdown", "csv")


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
    """One under the other, each with its name and its note."""
    for number, sheet in enumerate(sheets):
        if number:
            out.print()
        out.print(Text(sheet.name, style="bold"))
        out.print(table(sheet))
        if sheet.note:
            out.print(Text(visible(sheet.note), style="yellow"))


def table(sheet: Sheet) -> Table:
    """*sheet* as a terminal shows it."""
    drawn = Table(box=None, pad_edge=False, header_style="dim")
    for column in sheet.columns:
        is_text = column.kind == "text"
        drawn.add_column(column.name, justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    for row in sheet.texts():
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    return drawn
