"""From a path to text, and what a reader makes of it; everything that is no readable text is refused here."""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from intercode.errors import BadDataError
from intercode.util.regular_files import LARGEST_DATA, read_bytes, unzip


@dataclass(frozen=True, slots=True)
class Record:
    """One record as it stands in a file: `place` is for error messages (`line 7`), `key` its name if it has one."""

    place: str
    columns: Mapping[str, Any]
    key: str | None = None


Drop = Callable[[str, BadDataError], None]
"""Told of a record that cannot be read: where it stands, and why. Without one the whole file is refused."""


def readable(makers: Iterable[tuple[str, Callable[[], Record]]], drop: Drop | None) -> list[Record]:
    """Return the records that *makers* make.

    Args:
        makers: The place of each record, for messages, and what makes it.
        drop: Told of all records that cannot be made. None: the first of them is an error.

    Raises:
        BadDataError: If a record cannot be made and *drop* is None.
    """
    found = []
    for place, make in makers:
        try:
            found.append(make())
        except BadDataError as error:
            if drop is None:
                raise
            drop(place, error)
    return found


def record(value: object, place: str, path: Path, *, key: str | None = None) -> Record:
    """Return *value* as a record.

    Raises:
        BadDataError: For what is no mapping from column names to values.
    """
    if not isinstance(value, dict):
        raise BadDataError(f"{path}: {place} should be an object with a query, and is {kind(value)}")
    for column in value:
        if not isinstance(column, str):
            raise BadDataError(f"{path}: {place} has a column named by {kind(column)}; names are strings")
    return Record(place, value, key)


def kind(value: object) -> str:
    """Return what a value is, in words that a writer of JSON knows."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a number"}
    return {**names, float: "a number", type(None): "null"}.get(type(value), f"of type {type(value).__name__}")


def bytes_of(path: Path) -> bytes:
    """Return the content of a regular file that is not empty.

    Raises:
        BadDataError: If it is empty, no regular file, or cannot be read.
    """
    try:
        if path.is_dir():
            raise BadDataError(f"{path} is a folder, not a file of tasks")
        data = read_bytes(path, most=LARGEST_DATA)
    except FileNotFoundError:
        raise BadDataError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise BadDataError(f"{path}: it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not data.strip():
        raise BadDataError(f"{path} is empty; a data set needs at least one task")
    return data


def unpacked(data: bytes, path: Path) -> bytes:
    """Return *data*, what is in the file at *path*, unpacked if gzip packed it.

    Raises:
        BadDataError: If it is broken, becomes too large, or is nothing.
    """
    try:
        found = unzip(data, path)
    except (OSError, EOFError, zlib.error) as error:
        raise BadDataError(f"{path}: it cannot be unpacked: {getattr(error, 'strerror', None) or error}") from error
    if not found.strip():
        raise BadDataError(f"{path} is empty; a data set needs at least one task")
    return found


def as_text(data: bytes, path: Path) -> str:
    """Return *data* as UTF-8, a byte order mark dropped.

    Raises:
        BadDataError: If it is no text. Names the line.
    """
    nul = data.find(b"\0")
    if nul >= 0:
        raise BadDataError(f"{path}: line {_line(data, nul)} holds a NUL byte; it is not UTF-8 text (UTF-16, perhaps?)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"line {_line(data, error.start)}"
        raise BadDataError(
            f"{path}: {where} is not UTF-8 (byte 0x{data[error.start]:02x}); save it as UTF-8, such as with: "
            f"iconv -f latin1 -t utf-8 {quote(str(path))} > {quote(f'{path.stem}-utf8{path.suffix}')}"
        ) from error


def toml_of(path: Path) -> dict[str, Any]:
    """Return what a file of TOML says, which is not empty.

    Raises:
        BadDataError: If it is empty, no TOML, or cannot be read.
    """
    try:
        return tomllib.loads(as_text(bytes_of(path), path))
    except (ValueError, RecursionError) as error:  # a number of too many digits is no TOMLDecodeError
        raise BadDataError(f"{path} is not TOML: {error}") from error


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
