"""How records are written in files: one reader a format, each from text to `Record`s, and from those to tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from intercode.datasets.formats.csv_files import read_table
from intercode.datasets.formats.json_files import read_json, read_jsonl, read_pickle
from intercode.datasets.formats.parquet import read_parquet
from intercode.datasets.formats.record import Drop, Record, as_text, bytes_of, unpacked
from intercode.datasets.formats.tasks import record_of, tasks_from
from intercode.errors import BadDataError, UnsafeError

SUFFIXES: Mapping[str, str] = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".pickle": "pickle",
    ".pkl": "pickle",
    ".parquet": "parquet",
}
"""A file's ending and the format that it stands for."""

_TEXTS: Mapping[str, Callable[..., list[Record]]] = {
    "json": read_json,
    "jsonl": read_jsonl,
    "csv": partial(read_table, separator=","),
    "tsv": partial(read_table, separator="\t"),
}

_BYTES: Mapping[str, Callable[..., list[Record]]] = {"parquet": read_parquet, "pickle": read_pickle}

FORMATS = (*_TEXTS, *_BYTES)
"""Every format by name."""

__all__ = ["FORMATS", "SUFFIXES", "Record", "ending", "read_records", "record_of", "stem", "tasks_from"]


def ending(path: Path) -> str:
    """Return the ending of a file's name that says its format, in small letters: `.jsonl` of `tasks.jsonl.gz`."""
    return Path(_without_gz(path.name)).suffix.lower()


def stem(path: Path) -> str:
    """Return a file's name without its ending: `tasks` of `tasks.jsonl.gz`."""
    return Path(_without_gz(path.name)).stem


def _without_gz(name: str) -> str:
    return name[:-3] if name.lower().endswith(".gz") else name


def read_records(
    path: Path, *, format: str | None = None, allow_pickle: bool = False, drop: Drop | None = None
) -> tuple[list[Record], bytes]:
    """Return the records of a file, at least one, and the file's bytes, unpacked.

    *format* is one of `FORMATS` (None: what the file's ending says). *drop* is told of each record that cannot be read;
    without one the first of them is refused with the whole file.

    Raises:
        BadDataError: If it cannot be understood. Names the file and the place in it.
        UnsafeError: For a pickle that was not asked for: reading one runs the code in it.
    """
    data = unpacked(bytes_of(path), path)
    chosen = format or SUFFIXES.get(ending(path), "")
    if chosen not in FORMATS:
        say = f"say which it is: {', '.join(FORMATS)} (--dataset-option format=NAME)"
        raise BadDataError(f"{path}: no format called {chosen or ending(path)!r}; {say}")
    if chosen == "pickle" and format != "pickle" and not allow_pickle:
        raise UnsafeError(
            f"{path} is a pickle, and reading one runs whatever code it holds; "
            'if you made it yourself, ask for the format by name: --dataset-option format=pickle (format="pickle")'
        )
    read, content = (_BYTES[chosen], data) if chosen in _BYTES else (_TEXTS[chosen], as_text(data, path))
    records: list[Record] = read(content, path, drop=drop)
    if not records:
        raise BadDataError(f"{path}: it holds no records")
    return records, data
