"""Files of JSON lines too large to be held: a little of each line is kept, the rest is read when it is wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from intercode.errors import BadDataError
from intercode.util.regular_files import open_regular, read_lines
from intercode_sandbox.util import paths

FORMAT = 2
"""Counts up when indices of older programs are no longer right."""

Kept = dict[str, str]


@dataclass(frozen=True)
class HiddenColumns:
    """One line: `outer` are its columns, of which some hold JSON as text."""

    outer: Mapping[str, Any]

    def inner(self, column: str) -> Any:
        """Return the value of the JSON text in *column*; None where that is empty or missing."""
        text = self.outer.get(column)
        return json.loads(text, parse_int=_whole) if text else None


@dataclass(frozen=True, slots=True)
class IndexedLine:
    """What is kept of a line that begins at *offset*."""

    offset: int
    facts: Kept

    def columns(self, path: Path, column: str = "input_output") -> Mapping[str, Any]:
        """Return the mapping that *column* of the line holds, read from *path* whenever it is looked at."""
        return read_later(path, self.offset, column)


def index_lines(path: Path, *, keep: Callable[[HiddenColumns], Kept | None]) -> tuple[list[IndexedLine], str]:
    """Return what *keep* keeps of each line (None: nothing), and the file's SHA-256.

    The answer is remembered in the cache for as long as the file is the same.

    Raises:
        BadDataError: If a line is malformed. Names it.
    """
    status = path.stat()
    lines, checksum = index_file(path, (status.st_size, status.st_mtime_ns), lambda: _read(path, keep))
    return [IndexedLine(offset, facts) for offset, facts in lines], checksum


def index_file(path: Path, state: object, read: Callable[[], tuple[Sequence[Any], str]]) -> tuple[Sequence[Any], str]:
    """What *read* makes of *path* (JSON must be able to hold it), kept in the cache for as long as *state* is equal."""
    key = sha256(f"{FORMAT}\0{path.resolve()}\0{state}".encode()).hexdigest()
    known = paths.cache() / "datasets" / f"{path.stem}-{key[:16]}.json"
    if not known.exists():
        found, checksum = read()
        known.parent.mkdir(parents=True, exist_ok=True)
        unfinished = known.with_suffix(".part")
        unfinished.write_text(json.dumps([checksum, found]), encoding="utf-8")
        unfinished.replace(known)
    checksum, found = json.loads(known.read_text(encoding="utf-8"))
    return found, checksum


def read_later(path: Path, offset: int = 0, column: str = "") -> Mapping[str, Any]:
    """The mapping that *column* of the line at *offset* holds (or, without one, all of *path*), read when looked at."""
    return _Later(path, offset, column)


def _read(path: Path, keep: Callable[[HiddenColumns], Kept | None]) -> tuple[list[tuple[int, Kept]], str]:
    found, offset, digest = [], 0, sha256()
    for number, line in enumerate(read_lines(path), 1):
        digest.update(line)
        if line.strip():
            facts = _keep_columns(path, number, line, keep)
            found += [] if facts is None else [(offset, facts)]
        offset += len(line)
    return found, digest.hexdigest()


def _keep_columns(path: Path, number: int, line: bytes, keep: Callable[[HiddenColumns], Kept | None]) -> Kept | None:
    try:
        return keep(HiddenColumns(json.loads(line)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadDataError(
            f"{path}: line {number} is not a problem in the published format: {type(error).__name__}: {error}"
        ) from error


class _Later(Mapping[str, Any]):
    """A mapping in a file."""

    def __init__(self, path: Path, offset: int, column: str) -> None:
        self._place = (path, offset, column)

    def __getitem__(self, key: str) -> Any:
        return _at(*self._place)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_at(*self._place))

    def __len__(self) -> int:
        return len(_at(*self._place))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Later) and self._place == other._place

    def __hash__(self) -> int:
        return hash(self._place)

    def __repr__(self) -> str:
        path, offset, column = self._place
        return f"{column} at {offset} in {path.name}" if column else f"what is in {path}"


@lru_cache(maxsize=16)
def _at(path: Path, offset: int, column: str) -> Mapping[str, Any]:
    try:
        with open_regular(path) as file:
            file.seek(offset)
            outer = json.loads(file.readline()) if column else {column: file.read()}
            found: Mapping[str, Any] = HiddenColumns(outer).inner(column)
            return found
    except (OSError, ValueError, RecursionError) as error:
        raise BadDataError(f"{path} has changed since it was read: {error}") from error


def _whole(text: str) -> int:
    """Return a whole number of any length: Python refuses to read more than 4300 digits at once."""
    sign, digits, value = -1 if text.startswith("-") else 1, text.lstrip("-"), 0
    for start in range(0, len(digits), 4000):
        piece = digits[start : start + 4000]
        value = value * 10 ** len(piece) + int(piece)
    return sign * value
