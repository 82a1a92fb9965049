"""Comma and tab separated tables: a header line that names the columns, then one record a line."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from io import StringIO
from pathlib import Path

from intercode.datasets.formats.record import Drop, Record, readable
from intercode.errors import BadDataError
from intercode_sandbox.util.text import pluralize


def read_table(text: str, path: Path, *, separator: str, drop: Drop | None = None) -> list[Record]:
    """Return the records of a table. Quotes are the spreadsheet's (`"a ""b"" c"`); an empty cell is no value at all.

    A first column without a name holds the numbers of rows, as pandas and R write them, and is passed over.
    """
    rows = _rows(text, path, separator)
    _, names = next(rows, (1, []))
    header = [name.strip() for name in names]
    _refuse_other_separators(header, path, separator)
    _check_header(header, path)
    return readable(((f"line {line}", partial(_record, cells, header, line, path)) for line, cells in rows), drop)


def _rows(text: str, path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line that it begins on."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # no cell is too long that is in memory already
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    begins = 1
    try:
        for cells in reader:
            if cells:
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        hint = " (a cell that begins with a quote ends with one, and has those in it doubled)" if '"' in text else ""
        raise BadDataError(f"{path}: line {begins} is not a row of a table: {error}{hint}") from error


def _refuse_other_separators(header: list[str], path: Path, separator: str) -> None:
    other = next((each for each in (";", "\t", "|", ",") if len(header) == 1 and each in header[0]), separator)
    if other != separator:
        hint = {"\t": " (or say --dataset-option format=tsv)", ",": " (or name it .csv)"}.get(other, "")
        usual = "and a .csv by ',', a .tsv by tabs"
        raise BadDataError(f"{path}: line 1 is separated by {other!r}, {usual}: save it so{hint}")


def _check_header(header: list[str], path: Path) -> None:
    for number, column in enumerate(header):
        if number and not column.strip():
            raise BadDataError(f"{path}: line 1 should name the columns, and one of its names is empty")
        if header.count(column) > 1:
            raise BadDataError(f"{path}: line 1 names the column {column!r} twice")


def _record(cells: list[str], header: list[str], line: int, path: Path) -> Record:
    if len(cells) != len(header):
        raise BadDataError(
            f"{path}: line {line} has {pluralize(len(cells), 'field')} where the header has {len(header)}"
        )
    return Record(
        f"line {line}", {name: cell for name, cell in zip(header, cells, strict=True) if cell and name.strip()}
    )
