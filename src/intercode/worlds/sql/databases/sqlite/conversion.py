"""A source as SQLite files, one for each database, and beside each what MySQL would say of its tables."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from intercode.errors import BadDataError
from intercode.worlds.sql.databases.dialect.alteration import AlterationError, Redefinition, alterations
from intercode.worlds.sql.databases.dialect.definition import TableDefinition, parse
from intercode.worlds.sql.databases.dialect.show_create import show_create
from intercode.worlds.sql.databases.dumps.script import ScriptStatement
from intercode.worlds.sql.databases.sqlite import collation
from intercode.worlds.sql.databases.sqlite.dump_rows import rows
from intercode.worlds.sql.databases.sqlite.functions import install
from intercode.worlds.sql.databases.sqlite.table_definitions import create
from intercode.worlds.sql.databases.sqlite.translation import literals, translate

VERSION = 8
"""To be raised whenever what is made here changes: it is part of the name under which it is kept."""


def convert(script: Iterable[ScriptStatement], folder: Path) -> Counter[str]:
    """Write FOLDER/NAME.sqlite and FOLDER/NAME.json for each database of *script*.

    Returns:
        How many of each kind were left out on which tasks may depend: triggers, procedures, functions, sequences.

    Raises:
        BadDataError: If a statement cannot be understood, or fails.
    """
    by_name = sorted(script, key=lambda line: line.database)
    for name, part in groupby(by_name, key=lambda line: line.database):
        _Conversion(name, list(part)).write(folder)
    found = (LEFT_OUT.match(line.code) for line in by_name)
    return Counter(each["kind"].lower() for each in found if each)


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
            for column in definition.columns:
                if column.invisible:  # SELECT * would show it
                    reason = f"the column {column.name!r} is INVISIBLE, which SQLite has not: use mysql"
                    raise BadDataError(f"{line.place}: {reason}")
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
        elif (inserted := rows(code, self.tables)) is not None:
            yield inserted
        else:
            yield literals(code) if INSERT.match(code) else translate(code, self.name).text

    def _count_on(self, connection: sqlite3.Connection) -> None:
        """AUTO_INCREMENT goes on where the dump says, not after the greatest number left."""
        for name, text in self.texts.items():
            following = NEXT.search(text)
            if following and any(column.counts for column in self.tables[name].columns):
                connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
                connection.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, int(following[1]) - 1))

    def _about(self, connection: sqlite3.Connection, definition: TableDefinition) -> tuple[str, str]:
        """Return how the table was made in SQLite, and what MySQL says of it."""
        name = definition.name.lower()
        found = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        told = NAMED.sub(f"CREATE TABLE `{name}`", self.texts[name])
        return found[0] if found else "", show_create(definition) if name in self.altered else told


TO_TABLE = r"^(?:insert|replace|(?:create|alter)\s+table)(?:\s+(?:ignore|into|if|not|exists))*"
"""How a statement begins that names one table, which may be said to be the database's: `shop`.`items`."""

NAMED = re.compile(r"^create\s+table\s+(if\s+not\s+exists\s+)?(`[^`]*`|\w+)", re.IGNORECASE)

ADDS = re.compile(r"alter\s+table\s+(`[^`]*`|\w+)\s+(add|modify)\b", re.IGNORECASE)

IGNORED = re.compile(
    r"set\s|alter\s+table\s+\S+\s+(disable|enable)\s+keys|analyze\s|do\s|select\s+setval\b|alter\s+sequence\b"
    r"|(create|drop)\s+(or\s+replace\s+)?(definer\s*=\s*\S+\s+)?(aggregate\s+)?"
    r"(trigger|procedure|function|sequence|package)\b",
    re.IGNORECASE,
)
"""What has no meaning for SQLite; sequences, triggers and routines in MySQL's language cannot be converted."""

LEFT_OUT = re.compile(
    r"create\s+(or\s+replace\s+)?(definer\s*=\s*\S+\s+)?(aggregate\s+)?"
    r"(?P<kind>trigger|procedure|function|sequence|package)\b",
    re.IGNORECASE,
)

INSERT = re.compile(r"insert\s+into\b", re.IGNORECASE)
"""Rows: there are too many of them to be parsed."""

NEXT = re.compile(r"\bAUTO_INCREMENT\s*=\s*(\d+)", re.IGNORECASE)
