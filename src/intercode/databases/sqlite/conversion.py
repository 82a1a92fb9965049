"""A source as SQLite files, one for each database, and beside each what MySQL would say of its tables."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from intercode.databases.dialect.alteration import AlterationError, Redefinition, alterations
from intercode.databases.dialect.definition import TableDefinition, parse
from intercode.databases.dialect.show_create import show_create
from intercode.databases.dumps.script import ScriptStatement
from intercode.databases.sqlite import collation
from intercode.databases.sqlite.functions import install
from intercode.databases.sqlite.table_definitions import create
from intercode.databases.sqlite.translation import literals, translate
from intercode.errors import BadDataError

VERSION = 6
"""To be raised whenever what is made here changes: it is part of the name under which it is kept."""


def convert(script: Iterable[ScriptStatement], folder: Path) -> None:
    """Write FOLDER/NAME.sqlite and FOLDER/NAME.json for each database of *script*.

    Raises:
        BadDataError: If a statement cannot be understood, or fails.
    """
    by_name = sorted(script, key=lambda line: line.database)
    for name, part in groupby(by_name, key=lambda line: line.database):
        _Conversion(name, list(part)).write(folder)


class _Conversion:
    """One database: its tables first, so that keys may refer to any of them, then everything else in order."""

    def __init__(self, name: str, script: list[ScriptStatement]) -> None:
        self.name = name
        own = re.compile(rf"({TO_TABLE}\s+)(`{re.escape(name)}`|\b{re.escape(name)})\s*\.\s*", re.IGNORECASE)
        self.script = [replace(line, code=own.sub(r"\1", line.code, count=1)) for line in script]
        self.tables: dict[str, TableDefinition] = {}
        self.texts: dict[str, str] = {}
        self.altered: set[str] = set()
        for line in self.script:
            self._define(line)

    def _define(self, line: ScriptStatement) -> None:
        definition = parse(line.code)
        if definition is not None and definition.columns:
            self.tables[definition.name.lower()] = definition
            self.texts[definition.name.lower()] = line.code
        elif ADDS.match(line.code):
            try:
                self._alter(line.code)
            except AlterationError as error:
                raise BadDataError(f"{line.place}: {error}") from error

    def _alter(self, code: str) -> None:
        """Keys and columns that a dump adds to its tables afterwards."""
        for each in alterations(code) or ():
            definition = self.tables.get(each.table.lower())
            if definition is not None:
                self.altered.add(each.table.lower())
                wanted = Redefinition(definition)
                for item in each.items:
                    wanted.apply(item)

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

    def _run(self, connection: sqlite3.Connection, line: ScriptStatement) -> None:
        try:
            for statement in self._for_sqlite(line.code):
                connection.execute(statement)
        except UnicodeEncodeError as error:
            way_out = "save the file as UTF-8, or dump blobs with --hex-blob"
            raise BadDataError(f"{line.place}: a text that is not UTF-8: {way_out}") from error
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            start = " ".join(line.code.split())[:80]
            raise BadDataError(f"{line.place}: {error}, at: {start}") from error

    def _for_sqlite(self, code: str) -> Iterator[str]:
        if IGNORED.match(code) or ADDS.match(code):
            return
        definition = parse(code)
        if definition is not None and definition.columns:
            yield from create(self.tables[definition.name.lower()], self.tables)
        elif INSERT.match(code):
            yield literals(code)
        else:
            yield translate(code, self.name).text

    def _count_on(self, connection: sqlite3.Connection) -> None:
        """AUTO_INCREMENT goes on where the dump says, not after the greatest number left."""
        for name, text in self.texts.items():
            following = NEXT.search(text)
            if following and any(column.counts for column in self.tables[name].columns):
                connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
                connection.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, int(following[1]) - 1))

    def _about(self, connection: sqlite3.Connection, definition: TableDefinition) -> tuple[str, str]:
        """How the table was made in SQLite, and what MySQL says of it."""
        name = definition.name.lower()
        found = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        told = NAMED.sub(f"CREATE TABLE `{name}`", self.texts[name])
        return found[0] if found else "", show_create(definition) if name in self.altered else told


TO_TABLE = r"^(?:insert|replace|(?:create|alter)\s+table)(?:\s+(?:ignore|into|if|not|exists))*"
"""How a statement begins that names one table, which may be said to be the database's: `shop`.`items`."""

NAMED = re.compile(r"^create\s+table\s+(if\s+not\s+exists\s+)?(`[^`]*`|\w+)", re.IGNORECASE)

ADDS = re.compile(r"alter\s+table\s+(`[^`]*`|\w+)\s+(add|modify)\b", re.IGNORECASE)

IGNORED = re.compile(
    r"set\s|alter\s+table\s+\S+\s+(disable|enable)\s+keys|create\s+(definer\s*=\s*\S+\s+)?(trigger|procedure|function)\b|analyze\s",
    re.IGNORECASE,
)
"""What has no meaning for SQLite; triggers and routines in MySQL's language cannot be converted."""

INSERT = re.compile(r"insert\s+into\b", re.IGNORECASE)
"""Rows: there are too many of them to be parsed."""

NEXT = re.compile(r"\bAUTO_INCREMENT\s*=\s*(\d+)", re.IGNORECASE)
