"""Statements about tables as such, which SQLite lacks or understands otherwise: MySQL's CREATE, ALTER, DROP, RENAME."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from intercode.databases.base import QueryResult
from intercode.databases.dialect.alteration import Alteration, AlterationError, alterations
from intercode.databases.dialect.definition import TableDefinition, like, parse
from intercode.databases.dialect.errors import format_error
from intercode.databases.dialect.show_create import show_create
from intercode.databases.dialect.tokenizer import plain
from intercode.databases.sqlite.alter_table import BESIDE, alter
from intercode.databases.sqlite.catalog import TableInfo, descriptions
from intercode.databases.sqlite.connection import SqliteConnection
from intercode.databases.sqlite.statement_runner import StatementRunner
from intercode.databases.sqlite.table_definitions import create
from intercode.databases.sqlite.translation import read, write


def run_schema_statement(
    runner: StatementRunner, engine: SqliteConnection, statement: str, seconds: float
) -> QueryResult | None:
    """Run a statement about tables as such; None for one that SQLite understands when it is translated."""
    definition = parse(statement) or _like_definition(runner, engine, statement)
    if definition is not None:
        return _define(runner, engine, definition, statement, seconds)
    altered = _alter(runner, engine, statement, seconds)
    if altered is not None:
        return altered
    try:
        tree = read(statement)
    except ValueError:
        return None
    if isinstance(tree, exp.Create) and tree.kind == "VIEW":
        return _view(runner, engine, tree, statement, seconds)
    if isinstance(tree, exp.Drop) and len(tree.args["tables"]) > 1:
        return _drop(runner, engine, tree, seconds)
    if isinstance(tree, exp.TruncateTable):
        return _truncate(runner, engine, tree.expressions[0].name, statement, seconds)
    return None


def _define(
    runner: StatementRunner, engine: SqliteConnection, definition: TableDefinition, statement: str, seconds: float
) -> QueryResult:
    """CREATE TABLE, with MySQL's types."""
    try:
        for part in create(definition, _known_definitions(runner, engine)):
            runner.run(engine, part, seconds)
    except (sqlite3.Error, sqlite3.Warning) as error:
        return runner.failure(str(error), statement)
    except ValueError:  # a default or a check that cannot be read
        return runner.run_statement(engine, statement, seconds)
    catalogue, name = runner.catalogue(engine.name), definition.name.lower()
    with engine.guard.trust():
        made = engine.connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    if made and not (definition.if_missing or definition.temporary):
        told_as = statement.strip().rstrip(";") if parse(statement) else show_create(definition)
        catalogue.about[name] = TableInfo(made[0], told_as, descriptions(definition))
    return QueryResult(None)


def _like_definition(runner: StatementRunner, engine: SqliteConnection, statement: str) -> TableDefinition | None:
    """The table that CREATE TABLE … LIKE makes: the other's columns and keys, but for foreign ones."""
    wanted = like(statement)
    if wanted is None:
        return None
    with engine.guard.trust():
        other = runner.catalogue(engine.name).complete(engine.connection, wanted.other)
    if other is None:
        return None
    return replace(
        other, name=wanted.name, temporary=wanted.temporary, if_missing=wanted.if_missing, foreign=[], database=""
    )


def _alter(runner: StatementRunner, engine: SqliteConnection, statement: str, seconds: float) -> QueryResult | None:
    """ALTER TABLE, RENAME TABLE, DROP INDEX; None for what is none of these, or is not understood."""
    wanted = alterations(statement)
    if not wanted:
        return None
    catalogue, known, deadline = (
        runner.catalogue(engine.name),
        _known_definitions(runner, engine),
        time.monotonic() + seconds,
    )
    if error := _rename_error(runner, engine, wanted):
        return QueryResult(None, error=error)

    def run(text: str) -> None:
        runner.run(engine, text, deadline - time.monotonic())

    try:
        understood = all(alter(engine, catalogue, each, known, run) for each in wanted)
    except AlterationError as error:
        return QueryResult(None, error=str(error))
    except (sqlite3.Error, sqlite3.Warning) as error:
        return runner.failure(str(error).replace(BESIDE, wanted[0].table), statement)
    except ValueError:
        return None
    return QueryResult(None) if understood else None


def _rename_error(runner: StatementRunner, engine: SqliteConnection, wanted: Sequence[Alteration]) -> str | None:
    """Why one of several tables cannot be called otherwise: all are renamed, or none."""
    if len(wanted) < 2 or any(token.text == "." for each in wanted for token in each.items[0]):
        return None
    with engine.guard.trust():
        there = {name.lower() for name, kind in runner.catalogue(engine.name).tables(engine.connection)}
    for table, name in ((each.table.lower(), plain(each.items[0][-1]).lower()) for each in wanted):
        if table not in there:
            return format_error(1146, f"Table '{engine.name}.{table}' doesn't exist")
        if name in there:
            return format_error(1050, f"Table '{name}' already exists")
        there = there - {table} | {name}
    return None


def _known_definitions(runner: StatementRunner, engine: SqliteConnection) -> dict[str, TableDefinition]:
    """The tables that keys may refer to, as far as the source describes them."""
    about = runner.catalogue(engine.name).about
    found = ((name, parse(table.create)) for name, table in about.items())
    return {name: definition for name, definition in found if definition is not None}


def _view(
    runner: StatementRunner, engine: SqliteConnection, tree: exp.Create, statement: str, seconds: float
) -> QueryResult:
    """Make a view, or nothing: one that cannot be read is refused, as by MySQL."""
    name = tree.this.this.name if isinstance(tree.this, exp.Schema) else tree.this.name
    engine.begin()
    if tree.args.get("replace"):
        runner.run_statement(engine, f"DROP VIEW IF EXISTS `{name}`", seconds)
    result = runner.run_statement(engine, statement, seconds)
    if result.error is None:
        result = replace(result, error=runner.run_statement(engine, f"SELECT * FROM `{name}` LIMIT 0", seconds).error)
    engine.commit(undo=result.error is not None)
    return result


def _drop(runner: StatementRunner, engine: SqliteConnection, tree: exp.Drop, seconds: float) -> QueryResult:
    """Drop several tables or none. One that another of them refers to can only go after that."""
    kind, exists = tree.args["kind"], tree.args.get("exists")
    left = [write(exp.Drop(kind=kind, exists=exists, tables=[table.copy()])) for table in tree.args["tables"]]
    engine.begin()
    while left:
        results = [(part, runner.run_statement(engine, part, seconds)) for part in left]
        left = [part for part, result in results if result.error is not None]
        if len(left) == len(results):
            engine.commit(undo=True)
            return next(result for _, result in results if result.error is not None)
    engine.commit()
    return QueryResult(None)


def _truncate(
    runner: StatementRunner, engine: SqliteConnection, table: str, statement: str, seconds: float
) -> QueryResult:
    """After TRUNCATE rows are numbered from 1 again, and nobody counts those that went."""
    result = runner.run_statement(engine, statement, seconds)
    if result.error is not None:
        return result
    with engine.guard.trust():
        if engine.connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchone():
            asked = "DELETE FROM sqlite_sequence WHERE name = ? COLLATE NOCASE"
            engine.connection.execute(asked, (table,)).close()
    return QueryResult(None)
