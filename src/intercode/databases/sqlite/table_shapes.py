"""What a translation needs to know of tables: their columns, and by what names a statement calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlglot import exp


class TableShape(NamedTuple):
    """A table's columns in lower case, those of them that hold texts, and those that tell its rows apart."""

    columns: frozenset[str]
    texts: frozenset[str]
    key: tuple[str, ...]


Shapes = Callable[[str], TableShape | None]
"""The shape of the table of that name; None where there is none."""


def named_tables(statement: exp.Expr) -> dict[str, str]:
    """The tables of the session's database in *statement*, by what they are called there.

    Anything else that stands in the place of a table has the name "".
    """
    source = statement.args.get("from_")
    first = source.this if source else None if isinstance(statement, exp.Select) else statement.this
    joins = statement.args.get("joins") or ()
    return tables_of(*([] if first is None else [first]), *(join.this for join in joins))


def tables_of(*sources: exp.Expr) -> dict[str, str]:
    """The same for what *sources* are, and what is joined to them."""
    found: dict[str, str] = {}
    for source in sources:
        is_own = isinstance(source, exp.Table) and not source.db
        found[source.alias_or_name.lower()] = source.name.lower() if is_own else ""
        found |= tables_of(*(join.this for join in source.args.get("joins") or ()))
    return found
