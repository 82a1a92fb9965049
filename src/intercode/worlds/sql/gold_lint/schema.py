"""Columns by what they hold: which of a statement's names stands for texts, and which for numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from intercode.types.databases import TableState

if TYPE_CHECKING:
    from sqlglot import exp

NUMBER = re.compile(r"\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)\s*")
"""A text that is a number."""

ENOUGH = 0.5
"""The share of a text column's values from which on it is one of numbers, some of which are missing or misspelt."""


class Schema:
    """The tables of one database, with their rows; `numeric` says of a column that it holds numbers alone."""

    def __init__(self, state: Mapping[str, TableState]) -> None:
        self._tables = {name.lower(): table for name, table in state.items()}
        self._values: dict[tuple[str, str], frozenset[object]] = {}

    def columns_of(self, table: str) -> tuple[str, ...]:
        """Return the names of the columns of *table*; none where there is no such table."""
        found = self._tables.get(table.lower())
        return () if found is None else found.columns

    def sources(self, select: exp.Expr) -> dict[str, exp.Expr]:
        """Return what *select* itself reads, tables and other queries, by the names that they have in it."""
        from sqlglot import exp

        source = select.args.get("from_") or select.args.get("from")
        joined = [source.this if source else None, *(join.this for join in select.args.get("joins") or ())]
        if isinstance(select, exp.Update | exp.Delete):
            joined.append(select.this)
        return {
            each.alias_or_name.lower(): _query_called(each) if isinstance(each, exp.Table) else each.this
            for each in joined
            if isinstance(each, exp.Table | exp.Subquery)
        }

    def star(self, select: exp.Expr, table: str = "") -> list[str] | None:
        """Return what `*`, or `table.*`, stands for in *select*; None where that is not known."""
        from sqlglot import exp

        found = self.sources(select)
        joins = select.args.get("joins") or ()
        if len(found) != 1 + len(joins) or any(isinstance(join.args.get("using"), list) for join in joins):
            return None
        wanted = [table.lower()] if table else list(found)
        names = [
            exp.column(column, table=alias).sql("mysql")
            for alias in wanted
            for column in (self._shown(found[alias]) if alias in found else ())
        ]
        return names or None

    def _shown(self, source: exp.Expr) -> tuple[str, ...]:
        """Return the names of the columns of a table, or of a query that names them all."""
        from sqlglot import exp

        if isinstance(source, exp.Table):
            return self.columns_of(source.name)
        names = source.named_selects if isinstance(source, exp.Query) else ()
        return () if "*" in names else tuple(names)

    def is_text(self, column: exp.Expr) -> bool:
        """Tell whether *column*, or what is made of columns, is known to hold texts alone."""
        values = self._of(column)
        return bool(values) and all(isinstance(value, str) for value in values)

    def is_numeric(self, column: exp.Expr) -> bool:
        """Tell whether *column* is known to hold numbers alone."""
        values = self._of(column)
        return bool(values) and all(isinstance(value, int | float | Decimal) for value in values)

    def has_numbers_as_text(self, column: exp.Expr) -> bool:
        """Tell whether most values of *column* are texts that are numbers."""
        return self.is_text(column) and len(self.numbers(column)) >= max(2, ENOUGH * len(self._of(column)))

    def numbers(self, column: exp.Expr) -> list[str]:
        """Return the texts in *column* that are numbers."""
        values = (value for value in self._of(column) if isinstance(value, str))
        return sorted(value for value in values if NUMBER.fullmatch(value))

    def _of(self, node: exp.Expr | None) -> frozenset[object]:
        """Return the values that *node* may have but for NULL, each once; none where they are not known."""
        from sqlglot import exp

        if isinstance(node, exp.Column):
            return self._of_column(node)
        if isinstance(node, exp.Literal):
            return frozenset({node.this} if node.is_string else ())
        if isinstance(node, exp.Trim):
            return frozenset(each.strip() if isinstance(each, str) else each for each in self._of(node.this))
        if isinstance(node, exp.Coalesce):
            return self._of_all([node.this, *node.expressions])
        if isinstance(node, exp.Query) and len(node.selects) == 1:
            return self._of(node.selects[0])
        if isinstance(node, exp.Paren | exp.Alias | exp.Max | exp.Min | exp.All | exp.Any | exp.Subquery):
            return self._of(node.this)
        return frozenset()

    def _of_all(self, nodes: Iterable[exp.Expr]) -> frozenset[object]:
        values = [self._of(node) for node in nodes]
        return frozenset().union(*values) if all(values) else frozenset()

    def _of_column(self, column: exp.Column) -> frozenset[object]:
        for sources in self._scopes(column):
            having = [each for alias, each in sources.items() if column.table.lower() in ("", alias)]
            places = [each for each in having if column.name.lower() in (name.lower() for name in self._shown(each))]
            if len(places) == 1:
                return self._shown_as(places[0], column.name.lower())
            if places:
                return frozenset()
        return frozenset()

    def _shown_as(self, source: exp.Expr, name: str) -> frozenset[object]:
        """Return the values of the column *name* of a table, or of a query."""
        from sqlglot import exp

        if isinstance(source, exp.Table):
            return self._values_at(source.name.lower(), name)
        assert isinstance(source, exp.Query)
        return self._of(next(each for each in source.selects if each.alias_or_name.lower() == name))

    def _scopes(self, column: exp.Expr) -> Iterator[dict[str, exp.Expr]]:
        """Yield what is read around *column*, by the innermost statement first."""
        from sqlglot import exp

        around = column.find_ancestor(exp.Select, exp.Update, exp.Delete)
        while around is not None:
            yield self.sources(around)
            around = around.find_ancestor(exp.Select, exp.Update, exp.Delete)

    def _values_at(self, table: str, column: str) -> frozenset[object]:
        if (table, column) not in self._values:
            place = [name.lower() for name in self.columns_of(table)].index(column)
            values = (row[place] for row in self._tables[table].rows)
            self._values[table, column] = frozenset(value for value in values if value is not None)
        return self._values[table, column]


def _query_called(table: exp.Table) -> exp.Expr:
    """Return the query that WITH calls as *table* is called; else *table*."""
    from sqlglot import exp

    around: exp.Expr | None = table
    while around is not None:
        clause = around.args.get("with_") or around.args.get("with")
        for each in clause.expressions if isinstance(clause, exp.With) else ():
            # a query that reads itself has no end of columns
            if each.alias.lower() == table.name.lower() and table not in each.this.find_all(exp.Table):
                return each.this if not each.args["alias"].columns else table
        around = around.parent
    return table
