"""A source as SQLite files, one for each database, and beside each what MySQL would say of its tables."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from intercode.databases.dialect.definition import Definition, Reader, parse, read_item, split
from intercode.databases.dialect.scan import meaningful
from intercode.databases.dumps.script import Line
from intercode.databases.embedded import collation
from intercode.databases.embedded.adapt import adapt
from intercode.databases.embedded.catalogue import described
from intercode.databases.embedded.functions import install
from intercode.databases.embedded.tables import create
from intercode.databases.embedded.transpile import transpile
from intercode.databases.embedded.views import view
from intercode.errors import BadData

VERSION = 3
"""To be raised whenever what is made here changes: it is part of the name under which it is kept."""


def convert(script: Iterable[Line], folder: Path) -> None:
    """Write FOLDER/NAME.sqlite and FOLDER/NAME.json for each database of *script*. Raises BadData."""
    by_name = sorted(script, key=lambda line: line.database)
    for name, part in groupby(by_name, key=lambda line: line.database):
        _Conversion(name, list(part)).write(folder)


class _Conversion:
    """One database: its tables first, so that keys may refer to any of them, then everything else in order."""

    def __init__(self, name: str, script: list[Line]) -> None:
        self.name, self.script = name, script
        self.tables: dict[str, Definition] = {}
        self.texts: dict[str, str] = {}
        for line in script:
            self._define(line)

    def _define(self, line: Line) -> None:
        definition = parse(line.code)
        if definition is not None and definition.columns:
            self.tables[definition.name.lower()] = definition
            self.texts[definition.name.lower()] = line.code
        elif ADDS.match(line.code):
            self._alter(line.code)

    def _alter(self, code: str) -> None:
        """Keys and columns that a dump adds to its tables afterwards."""
        reader = Reader(meaningful(code))
        reader.at = 2
        definition = self.tables.get(reader.name().lower())
        if definition is None:
            return
        for item in split(reader.rest()):
            part = Reader(item)
            if part.skip("add") and part.more():
                part.skip("column")
                read_item(definition, Reader(part.rest()))
            elif part.skip("modify") and part.more():
                part.skip("column")
                _modify(definition, Reader(part.rest()))

    def write(self, folder: Path) -> None:
        file = folder / f"{self.name}.sqlite"
        connection = sqlite3.connect(file, isolation_level=None)
        try:
            collation.install(connection)
            install(connection, self.name, native=False)
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("BEGIN")
            for line in self.script:
                self._run(connection, line)
            self._count_on(connection)
            connection.execute("COMMIT")
            about = {name: self._about(connection, definition) for name, definition in self.tables.items()}
        finally:
            connection.close()
        (folder / f"{self.name}.json").write_text(json.dumps(about, ensure_ascii=False))

    def _run(self, connection: sqlite3.Connection, line: Line) -> None:
        try:
            for statement in self._for_sqlite(line.code):
                connection.execute(statement)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            start = " ".join(line.code.split())[:80]
            raise BadData(f"{line.place}: {error}, at: {start}") from error

    def _for_sqlite(self, code: str) -> Iterator[str]:
        if IGNORED.match(code) or ADDS.match(code):
            return
        definition = parse(code)
        if definition is not None and definition.columns:
            yield from create(self.tables[definition.name.lower()], self.tables)
        elif made := view(code):
            yield transpile(made.statement)
        else:
            yield adapt(code)

    def _count_on(self, connection: sqlite3.Connection) -> None:
        """AUTO_INCREMENT goes on where the dump says, not after the greatest number left."""
        for name, text in self.texts.items():
            following = NEXT.search(text)
            if following and any(column.counts for column in self.tables[name].columns):
                connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
                connection.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, int(following[1]) - 1))

    def _about(self, connection: sqlite3.Connection, definition: Definition) -> dict[str, object]:
        name = definition.name.lower()
        found = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        text = re.sub(
            r"(?i)^create\s+table\s+(if\s+not\s+exists\s+)?(`[^`]*`|\w+)", f"CREATE TABLE `{name}`", self.texts[name]
        )
        return {"made": found[0] if found else "", "create": text, "columns": described(definition)}


def _modify(definition: Definition, reader: Reader) -> None:
    """MODIFY: a column again, mostly to make it count."""
    fresh = Definition(definition.name)
    read_item(fresh, reader)
    at = next((at for at, column in enumerate(definition.columns) if column.name == fresh.columns[0].name), None)
    if at is not None:
        nullable = fresh.columns[0].nullable and fresh.columns[0].name not in definition.primary
        definition.columns[at] = replace(fresh.columns[0], nullable=nullable)


ADDS = re.compile(r"alter\s+table\s+(`[^`]*`|\w+)\s+(add|modify)\b", re.IGNORECASE)

IGNORED = re.compile(
    r"set\s|alter\s+table\s+\S+\s+(disable|enable)\s+keys|create\s+(definer\s*=\s*\S+\s+)?(trigger|procedure|function)\b|analyze\s",
    re.IGNORECASE,
)
"""What has no meaning for SQLite; triggers and routines in MySQL's language cannot be converted."""

NEXT = re.compile(r"\bAUTO_INCREMENT\s*=\s*(\d+)", re.IGNORECASE)
