"""What a translation needs to know of tables: their columns, and by what names a statement calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlglot import exp

from intercode.worlds.sql.databases.dialect.definition import ColumnDefinition


class TableShape(NamedTuple):
    """A table's columns in lower case, those of them that hold texts, and those that tell its rows apart.

    `definitions` are MySQL's of the columns in their order, where they are known.
    `defaults` are by name, in SQLite's words; `indexed` are the columns with which an index begins.
    """

    columns: frozenset[str]
    texts: frozenset[str]
    key: tuple[str, ...]
    defaults: tuple[tuple[str, str], ...] = ()
    definitions: tuple[ColumnDefinition, ...] = ()
    indexed: frozenset[str] = frozenset()


Shapes = Callable[[str], TableShape | None]
"""The shape of the table of that name; None where there is none."""


def named_tables(statement: exp.Expr) -> dict[str, str]:
    """Return the tables of the session's database in *statement*, by what they are called there.

    Anything else that stands in the place of a table has the name "".
    """
    source = statement.args.get("from_")
    first = source.this if source else None if isinstance(statement, exp.Select) else statement.this
    joins = statement.args.get("joins") or ()
    return tables_of(*([] if first is None else [first]), *(join.this for join in joins))


def tables_of(*sources: exp.Expr) -> dict[str, str]:
    """Return the same for what *sources* are, and what is joined to them."""
    found: dict[str, str] = {}
    for source in sources:
        is_own = isinstance(source, exp.Table) and not source.db
        found[source.alias_or_name.lower()] = source.name.lower() if is_own else ""
        found |= tables_of(*(join.this for join in source.args.get("joins") or ()))
    return found


def inserted_table(statement: exp.Insert) -> exp.Table:
    """Return the table into which *statement* puts rows."""
    found: exp.Table = statement.this.this if isinstance(statement.this, exp.Schema) else statement.this
    return found


def shape_of(column: exp.Column, shapes: Shapes) -> TableShape | None:
    """Return the shape of the nearest table around *column* that has it."""
    name, scope = column.name.lower(), column.find_ancestor(exp.Select, exp.Update, exp.Delete)
    while scope is not None:
        tables = named_tables(scope)
        wanted = [tables.get(column.table.lower(), "")] if column.table else tables.values()
        found = [shape for table in wanted if table and (shape := shapes(table)) and name in shape.columns]
        if found:
            return found[0]
        scope = scope.find_ancestor(exp.Select, exp.Update, exp.Delete)
    return None
