"""Parquet: the format that data sets are published in at Hugging Face. Needs pyarrow."""

from __future__ import annotations

from pathlib import Path

from intercode.datasets.formats.record import Drop, Record, record
from intercode.errors import BadDataError, UserError


def read_parquet(data: bytes, path: Path, *, drop: Drop | None = None) -> list[Record]:
    """One record a row, all of them readable: *drop* is told nothing. Raises UserError without pyarrow."""
    try:
        import pyarrow  # imported here: large, and needed for nothing else
        from pyarrow import parquet
    except ImportError as error:
        raise UserError(f"{path}: reading parquet needs pyarrow: pip install 'intercode-env[parquet]'") from error
    try:
        rows = parquet.read_table(pyarrow.BufferReader(data)).to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        raise BadDataError(f"{path}: it is not a whole parquet file: {error}") from error
    return [record(row, f"row {number}", path) for number, row in enumerate(rows)]
