"""The databases of one source as SQLite files, and the engines on them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from intercode.errors import BadDataError
from intercode.types.databases import DatabaseSource, Progress
from intercode.util.database_files import files, stem
from intercode.worlds.sql.databases.dumps.cached import cached_folder
from intercode.worlds.sql.databases.dumps.script import lines
from intercode.worlds.sql.databases.sqlite.catalog import Catalog
from intercode.worlds.sql.databases.sqlite.connection import SqliteConnection
from intercode.worlds.sql.databases.sqlite.conversion import VERSION, convert
from intercode.worlds.sql.databases.sqlite.foreign_parts import check
from intercode.worlds.sql.databases.sqlite.information_schema import TableDescription, create_information_schema
from intercode_sandbox.util.text import pluralize

IDLE = 4
"""Reading engines kept open for each database."""


class DatabaseFiles:
    """Safe to use from several threads. `native`: the source has SQLite files, in SQLite's language."""

    def __init__(self, source: DatabaseSource, progress: Progress) -> None:
        self.source, self.progress = source, progress
        self.native = source.kind == "sqlite"
        self._lock = threading.Lock()
        self._idle: dict[str, list[SqliteConnection]] = {}
        self._closed = False
        assert self.files

    @cached_property
    def files(self) -> dict[str, Path]:
        """The file of each database, converted if need be.

        Raises:
            BadDataError: If a file is missing or malformed, or two have the same name.
        """
        if self.native:
            return self._native_files()
        key = f"{self.source.checksum[:32]}-{VERSION}"
        folder = cached_folder("sqlite", key, self._convert, lambda: self.progress(f"waiting for {self.source.name}"))
        return {file.stem: file for file in folder.glob("*.sqlite")}

    def _native_files(self) -> dict[str, Path]:
        found = dict[str, Path]()
        for file in files(self.source.path, "sqlite"):
            other = found.setdefault(stem(file).lower(), file)
            if other is not file and stem(file):  # macOS puts files called `._shop.sqlite` beside others
                raise BadDataError(f"{file}: {other} is called {stem(other)!r}, too: rename one of the two databases")
            check(file)
        return found

    def _convert(self, folder: Path) -> None:
        self.progress(f"converting {self.source.name} for SQLite")
        if left_out := convert(lines(self.source), folder):
            kinds = ", ".join(pluralize(count, kind) for kind, count in sorted(left_out.items()))
            self.progress(f"{self.source.name}: SQLite has no {kinds}: left out; tasks that need them play on mysql")

    @cached_property
    def names(self) -> list[str]:
        """The databases, sorted."""
        return sorted(self.files)

    def acquire(self, name: str) -> SqliteConnection:
        """Return a reading engine, to be given back."""
        with self._lock:
            idle = self._idle.setdefault(name, [])
            if idle:
                return idle.pop()
        return SqliteConnection.reading(self.files[name], name, native=self.native)

    def release(self, engine: SqliteConnection) -> None:
        """Keep a reading engine for the next; anything else is closed."""
        with self._lock:
            idle = self._idle.get(engine.name)
            if not (engine.writable or self._closed or idle is None or len(idle) >= IDLE):
                idle.append(engine)
                return
        engine.close()

    def copy(self, name: str) -> SqliteConnection:
        """Return a writable copy."""
        return SqliteConnection.copy(self.files[name], name, native=self.native)

    def catalogue(self, name: str) -> Catalog:
        """Return what the source says of the tables of a database; the caller's own to change."""
        return Catalog.read(name, self.files[name].with_suffix(".json"))

    @cached_property
    def information_schema(self) -> bytes:
        """An information_schema about the databases as they come."""
        return create_information_schema(self._describe_tables())

    def _describe_tables(self) -> Iterator[TableDescription]:
        for name in self.names:
            engine = SqliteConnection.reading(self.files[name], name, native=self.native)
            with engine.guard.trust():
                yield from self.catalogue(name).describe_tables(engine.connection)
            engine.close()

    def close(self) -> None:
        """Close what is idle."""
        with self._lock:
            self._closed = True
            engines = [engine for idle in self._idle.values() for engine in idle]
            self._idle.clear()
        for engine in engines:
            engine.close()
