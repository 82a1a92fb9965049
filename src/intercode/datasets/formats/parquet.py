"""Parquet: the format that data sets are published in at Hugging Face. Needs pyarrow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intercode.datasets.formats.record import Drop, Record, record
from intercode.errors import BadDataError, UserError

AS_JSON = b"intercode.json"
"""What the metadata of a column says whose values are JSON as text."""


def read_parquet(data: bytes, path: Path, *, drop: Drop | None = None) -> list[Record]:
    """Return one record a row, all of them readable: *drop* is told nothing. A null is no value at all.

    Raises:
        UserError: If pyarrow is not installed.
    """
    pyarrow, parquet = _library(path)
    try:
        with parquet.ParquetFile(pyarrow.BufferReader(data), pre_buffer=False) as file:
            table = file.read(use_threads=False)  # a thread that lets go of *data* at Python's end would abort it
        rows = table.to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        raise BadDataError(f"{path}: it is not a whole parquet file: {error}") from error
    coded = {field.name for field in table.schema if AS_JSON in (field.metadata or {})}
    return [record(_values(row, coded, number, path), f"row {number}", path) for number, row in enumerate(rows)]


def write_parquet(records: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write *records*, which `read_parquet` reads as they were. What a column of one type cannot hold becomes JSON.

    Raises:
        UserError: If pyarrow is not installed.
        TypeError: For a value that is no JSON either.
    """
    pyarrow, parquet = _library(path)
    columns, fields = [], []
    for name in dict.fromkeys(name for each in records for name in each):
        values = [each.get(name) for each in records]
        is_plain = _is_plain([each[name] for each in records if name in each])
        coded = [json.dumps(each[name], default=dict) if name in each else None for each in records]
        columns.append(pyarrow.array(values) if is_plain else pyarrow.array(coded, pyarrow.string()))
        fields.append(pyarrow.field(name, columns[-1].type, metadata=None if is_plain else {AS_JSON: b"1"}))
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_arrays(columns, schema=pyarrow.schema(fields)), path)


def _library(path: Path) -> tuple[Any, Any]:
    try:
        import pyarrow  # imported here: large, and needed for nothing else
        from pyarrow import parquet
    except ImportError as error:
        raise UserError(f"{path}: parquet needs pyarrow: pip install 'intercode-env[parquet]'") from error
    return pyarrow, parquet


def _values(row: dict[str, Any], coded: set[str], number: int, path: Path) -> dict[str, Any]:
    there = {name: value for name, value in row.items() if value is not None}
    try:
        return {name: json.loads(value) if name in coded else value for name, value in there.items()}
    except ValueError as error:
        raise BadDataError(f"{path}: row {number} has a column that should be JSON: {error}") from error


def _is_plain(values: Sequence[Any]) -> bool:
    """Return whether all *values* are of one type that a column has.

    Text, a truth value, a number, or lists of text.
    """
    kinds = {type(each) for each in values}
    if kinds == {list}:
        return any(values) and all(_is_text(each) for value in values for each in value)
    if kinds == {int}:
        return all(abs(each) < 1 << 63 for each in values)
    return all(map(_is_text, values)) or kinds in ({bool}, {float})


def _is_text(value: object) -> bool:
    """Return whether it is text that UTF-8 can hold: half a character is not."""
    return type(value) is str and value.encode("utf-8", "replace").decode() == value
