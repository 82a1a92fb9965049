"""A table as a value: typed cells that a terminal, Markdown and CSV each show in their own way."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from intercode.report.statistics import Interval

Kind = Literal[
    "text",
    "count",
    "number",
    "reward",
    "share",
    "success",
    "change",
    "interval",
    "reward interval",
    "chance",
    "dollars",
    "seconds",
]
"""What a column holds, and so how it is written: `share` is a rate in [0, 1], `success` one of success, `change` a
difference of two, `interval` that of a share or a change, `chance` a p-value."""

Cell = str | int | float | Interval | None

NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and the kind of what is below it."""

    name: str
    kind: Kind = "text"

    @property
    def is_interval(self) -> bool:
        """Return whether it belongs to the column before it: the interval of its figures."""
        return self.kind in ("interval", "reward interval")


@dataclass(frozen=True, slots=True)
class Table:
    """One table. `name` is short and serves as a file's name, `note` says what a reader must know."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def texts(self) -> Iterator[list[str]]:
        """Return each row as people read it."""
        return ([text(cell, column.kind) for cell, column in zip(row, self.columns, strict=True)] for row in self.rows)

    def without_empty(self) -> Table:
        """Return the same without columns that say nothing in any row."""
        filled = [place for place in range(len(self.columns)) if any(row[place] not in (None, "") for row in self.rows)]
        rows = tuple(tuple(row[place] for place in filled) for row in self.rows)
        return Table(self.name, tuple(self.columns[place] for place in filled), rows, self.note)

    def to_json(self) -> list[dict[str, Any]]:
        """Return each row as a dictionary."""
        return [
            {
                column.name: cell.to_json() if isinstance(cell, Interval) else cell
                for column, cell in zip(self.columns, row, strict=True)
            }
            for row in self.rows
        ]


def text(cell: Cell, kind: Kind) -> str:
    """Return *cell* as people read it."""
    if cell is None or cell == "":
        return NOTHING if kind != "text" else ""
    if isinstance(cell, Interval):
        if kind == "reward interval":
            return f"{cell.low:.3f} to {cell.high:.3f}"
        return f"{cell.low * 100:.1f} to {cell.high:.1%}"
    formats = {
        "number": "{:.1f}",
        "reward": "{:.3f}",
        "share": "{:.1%}",
        "success": "{:.1%}",
        "change": "{:+.1%}",
        "chance": "{:.2g}",
        "dollars": "${:.4f}",
        "seconds": "{:.2f}",
    }
    return formats.get(kind, "{}").format(cell)


def to_markdown(sheets: Iterable[Table]) -> str:
    """Return all *sheets*, each under its heading."""
    return "\n".join(_markdown(sheet) for sheet in sheets)


def to_latex(sheets: Iterable[Table]) -> str:
    """Return all *sheets* as LaTeX tables, which need the package booktabs."""
    return "\n".join(_latex(sheet) for sheet in sheets)


def to_csv(sheet: Table) -> str:
    """Return one *sheet*, numbers in full; an interval takes two columns."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([name for column in sheet.columns for name in _names(column)])
    for row in sheet.rows:
        pairs = zip(row, sheet.columns, strict=True)
        writer.writerow([value for cell, column in pairs for value in _values(cell, column)])
    return file.getvalue()


def to_long_csv(sheets: Iterable[Table]) -> str:
    """Return all *sheets* as one table with a line for each figure: `table,row,figure,value`.

    A row is called by its first text, or by as many as tell the rows apart, with `/` between; other texts are figures.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["table", "row", "figure", "value"])
    for sheet in sheets:
        titles = _titles(sheet)
        for row, name in zip(sheet.rows, _row_names(sheet, titles), strict=True):
            for at, (cell, column) in enumerate(zip(row, sheet.columns, strict=True)):
                if at not in titles:
                    for figure, value in zip(_names(column), _values(cell, column), strict=True):
                        writer.writerow([sheet.name, name, figure, value])
    return file.getvalue()


def _titles(sheet: Table) -> list[int]:
    """Return the columns by which the rows of *sheet* are called: the first texts that tell them apart."""
    texts = [at for at, column in enumerate(sheet.columns) if column.kind == "text"]
    for count in range(1, len(texts)):
        if len(set(_row_names(sheet, texts[:count]))) == len(sheet.rows):
            return texts[:count]
    return texts


def _row_names(sheet: Table, titles: list[int]) -> list[str]:
    return ["/".join(str(row[at]) for at in titles) for row in sheet.rows]


def _markdown(sheet: Table) -> str:
    rules = ["---" if column.kind == "text" else "---:" for column in sheet.columns]
    lines: list[Sequence[str]] = [[column.name for column in sheet.columns], rules, *sheet.texts()]
    table = "\n".join("| " + " | ".join(map(_escape_cell, line)) + " |" for line in lines)
    note = f"\n{sheet.note}\n" if sheet.note else ""
    return f"### {sheet.name}\n\n{table}\n{note}"


LATEX = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\n": " "}
)
"""What letters that mean something in LaTeX are written as."""


def _latex(sheet: Table) -> str:
    form = "".join("l" if column.kind == "text" else "r" for column in sheet.columns)
    lines = [[column.name for column in sheet.columns], *sheet.texts()]
    head, *rows = (" & ".join(cell.translate(LATEX) for cell in line) + r" \\" for line in lines)
    note = [f"\\par\\footnotesize {sheet.note.translate(LATEX)}"] if sheet.note else []
    parts = [
        *(r"\begin{table}", r"\centering", f"\\caption{{{sheet.name.translate(LATEX)}}}"),
        *(f"\\begin{{tabular}}{{{form}}}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"),
        *(*note, r"\end{table}"),
    ]
    return "\n".join(parts) + "\n"


def _escape_cell(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def _names(column: Column) -> list[str]:
    return [f"{column.name} low", f"{column.name} high"] if column.is_interval else [column.name]


def _values(cell: Cell, column: Column) -> list[Any]:
    if not column.is_interval:
        return ["" if cell is None else cell]
    return [cell.low, cell.high] if isinstance(cell, Interval) else ["", ""]
