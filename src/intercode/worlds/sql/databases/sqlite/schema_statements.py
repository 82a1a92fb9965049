"""Statements about tables as such, which SQLite lacks or understands otherwise: MySQL's CREATE, ALTER, DROP, RENAME."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from intercode.types.databases import QueryResult
from intercode.worlds.sql.databases.dialect.alteration import Alteration, AlterationError, alterations
from intercode.worlds.sql.databases.dialect.definition import TableDefinition, parse
from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.dialect.show_create import show_create
from intercode.worlds.sql.databases.dialect.tokenizer import plain
from intercode.worlds.sql.databases.sqlite.alter_table import BESIDE, alter
from intercode.worlds.sql.databases.sqlite.catalog import Catalog
from intercode.worlds.sql.databases.sqlite.connection import SqliteConnection
from intercode.worlds.sql.databases.sqlite.statement_runner import StatementRunner
from intercode.worlds.sql.databases.sqlite.table_definitions import create
from intercode.worlds.sql.databases.sqlite.translation import read, write


@dataclass(frozen=True, slots=True)
class SchemaStatement:
    """A statement about tables as such, to be run on *engine* within *seconds*."""

    runner: StatementRunner
    engine: SqliteConnection
    text: str
    seconds: float

    def run(self) -> QueryResult | None:
        """Run it; None where SQLite understands it when it is translated."""
        if (definition := parse(self.text)) is not None:
            return self._define(definition)
        if (altered := self._alter()) is not None:
            return altered
        try:
            tree = read(self.text)
        except ValueError:
            return None
        if isinstance(tree, exp.Create) and (definition := self._like(tree)) is not None:
            return self._define(definition)
        if isinstance(tree, exp.Create) and tree.kind == "VIEW":
            return self._view(tree)
        if isinstance(tree, exp.Drop) and len(tree.args["tables"]) > 1:
            return self._drop(tree)
        if isinstance(tree, exp.TruncateTable):
            return self._truncate(tree.expressions[0].name)
        return None

    @property
    def _catalogue(self) -> Catalog:
        return self.runner.catalogue(self.engine.name)

    def _define(self, definition: TableDefinition) -> QueryResult:
        """CREATE TABLE, with MySQL's types."""
        try:
            for part in create(definition, self._known_definitions()):
                self.runner.run(self.engine, part, self.seconds)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return self.runner.failure(str(error), self.text)
        except ValueError:  # a default or a check that cannot be read
            return self._run(self.text)
        if not (definition.if_missing or definition.temporary):
            told = self.text.strip().rstrip(";") if parse(self.text) else show_create(definition)
            with self.engine.guard.trust():
                self._catalogue.describe(self.engine.connection, definition.name, told)
        return QueryResult(None)

    def _like(self, tree: exp.Create) -> TableDefinition | None:
        """Return the table that CREATE TABLE … LIKE makes: the other's columns and keys, but for foreign ones."""
        other = tree.find(exp.LikeProperty)
        is_here = all(table.db.lower() in ("", self.engine.name) for table in tree.find_all(exp.Table))
        if other is None or not is_here:
            return None
        with self.engine.guard.trust():
            found = self._catalogue.definition(self.engine.connection, other.this.name)
        if found is None:
            return None
        temporary, exists = tree.find(exp.TemporaryProperty) is not None, bool(tree.args.get("exists"))
        return replace(found, name=_name(tree), temporary=temporary, if_missing=exists, foreign=[], database="")

    def _alter(self) -> QueryResult | None:
        """ALTER TABLE, RENAME TABLE, DROP INDEX; None for what is none of these, or is not understood."""
        wanted = alterations(self.text)
        if not wanted:
            return None
        known, deadline = self._known_definitions(), time.monotonic() + self.seconds
        if error := self._rename_error(wanted):
            return QueryResult(None, error=error)

        def run(text: str) -> None:
            self.runner.run(self.engine, text, deadline - time.monotonic())

        try:
            understood = all(alter(self.engine, self._catalogue, each, known, run) for each in wanted)
        except AlterationError as error:
            return QueryResult(None, error=str(error))
        except (sqlite3.Error, sqlite3.Warning) as error:
            return self.runner.failure(str(error).replace(BESIDE, wanted[0].table), self.text)
        except ValueError:
            return None
        return QueryResult(None) if understood else None

    def _rename_error(self, wanted: Sequence[Alteration]) -> str | None:
        """Return why one of several tables cannot be called otherwise: all are renamed, or none."""
        if len(wanted) < 2 or any(token.text == "." for each in wanted for token in each.items[0]):
            return None
        with self.engine.guard.trust():
            there = {name.lower() for name, kind in self._catalogue.tables(self.engine.connection)}
        for table, name in ((each.table.lower(), plain(each.items[0][-1]).lower()) for each in wanted):
            if table not in there:
                return format_error(1146, f"Table '{self.engine.name}.{table}' doesn't exist")
            if name in there:
                return format_error(1050, f"Table '{name}' already exists")
            there = there - {table} | {name}
        return None

    def _known_definitions(self) -> dict[str, TableDefinition]:
        """Return the tables that keys may refer to, as far as the source describes them."""
        found = ((name, parse(table.create)) for name, table in self._catalogue.about.items())
        return {name: definition for name, definition in found if definition is not None}

    def _view(self, tree: exp.Create) -> QueryResult:
        """Make a view, or nothing: one that cannot be read is refused, as by MySQL."""
        name = _name(tree)
        self.engine.begin()
        if tree.args.get("replace"):
            self._run(f"DROP VIEW IF EXISTS `{name}`")
        result = self._run(self.text)
        if result.error is None:
            result = replace(result, error=self._run(f"SELECT * FROM `{name}` LIMIT 0").error)
        self.engine.commit(undo=result.error is not None)
        return result

    def _drop(self, tree: exp.Drop) -> QueryResult:
        """Drop several tables or none. One that another of them refers to can only go after that."""
        kind, exists = tree.args["kind"], tree.args.get("exists")
        left = [write(exp.Drop(kind=kind, exists=exists, tables=[table.copy()])) for table in tree.args["tables"]]
        self.engine.begin()
        while left:
            results = [(part, self._run(part)) for part in left]
            left = [part for part, result in results if result.error is not None]
            if len(left) == len(results):
                self.engine.commit(undo=True)
                return next(result for _, result in results if result.error is not None)
        self.engine.commit()
        return QueryResult(None)

    def _truncate(self, table: str) -> QueryResult:
        """After TRUNCATE rows are numbered from 1 again, and nobody counts those that went."""
        result = self._run(self.text)
        if result.error is not None:
            return result
        if self.engine.finds("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'"):
            with self.engine.guard.trust():
                asked = "DELETE FROM sqlite_sequence WHERE name = ? COLLATE NOCASE"
                self.engine.connection.execute(asked, (table,)).close()
        return QueryResult(None)

    def _run(self, text: str) -> QueryResult:
        return self.runner.run_statement(self.engine, text, self.seconds)


def _name(tree: exp.Create) -> str:
    """Return the name of what is made."""
    return str((tree.this.this if isinstance(tree.this, exp.Schema) else tree.this).name)
