"""What a gold statement says of its own result: which order its rows stand in, and where it cuts them off.

Rows that are equal in what they are ordered by may stand in any order, and where a LIMIT cuts through such rows any of
them is as good. Neither can be told from the result alone, so another statement is asked beside the gold: the same
without its LIMIT, and with what it is ordered by in columns of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from intercode.worlds.sql.scoring.syntax import syntax_tree

if TYPE_CHECKING:
    from sqlglot import exp

_ORDERS = re.compile(r"\border\s+by\b", re.IGNORECASE)
_ORDERS_OR_CUTS = re.compile(r"\b(order|limit|offset|fetch)\b", re.IGNORECASE)
"""Most golds have none of these words, and need not be read any further."""


@dataclass(frozen=True, slots=True)
class GoldOrder:
    """What is known of the order and the end of a gold's rows.

    `ordered`: it has an ORDER BY of its own, outside all brackets. `offset` and `limit` are its LIMIT's (None: to the
    end). `probe` is the statement to ask beside it; None where there is no need to, or no way. Its rows are the gold's
    without the LIMIT, and behind them stand `added` columns that hold what they are ordered by. `visible` are the
    places of the gold's own columns that do, where none can be added.
    """

    ordered: bool
    offset: int = 0
    limit: int | None = None
    probe: str | None = None
    added: int = 0
    visible: tuple[int, ...] = ()


@lru_cache(maxsize=4096)
def order_of(gold: str) -> GoldOrder:
    """Read *gold*. One that cannot be read counts as ordered if it holds the words ORDER BY anywhere."""
    if not _ORDERS_OR_CUTS.search(gold):
        return GoldOrder(ordered=False)
    from sqlglot import exp

    query = syntax_tree(gold)
    if query is None:
        return GoldOrder(ordered=_ORDERS.search(gold) is not None)
    if not isinstance(query, exp.Query):
        return GoldOrder(ordered=False)
    query = _without_brackets(query)
    keys = [term.this for term in query.args["order"].expressions] if query.args.get("order") else []
    cut = _limits(query)
    if cut is None:
        return GoldOrder(ordered=bool(keys))
    if not keys:
        probe = None if cut == (0, None) else _uncut(query).sql("mysql")
        return GoldOrder(False, *cut, probe)
    if isinstance(query, exp.Select) and not query.args.get("distinct"):
        return _add_keys(query, keys, cut)
    return _show_keys(query, keys, cut)


def _without_brackets(query: exp.Query) -> exp.Query:
    from sqlglot import exp

    while isinstance(query, exp.Subquery) and not query.args.get("order") and not query.args.get("limit"):
        query = query.this
    return query


Cut = tuple[int, int | None]
"""Offset and limit."""


def _limits(query: exp.Query) -> Cut | None:
    """(0, None) for no LIMIT; None for one that is not written in plain numbers."""
    from sqlglot import exp

    limit, offset = query.args.get("limit"), query.args.get("offset")
    count = limit and (limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression)
    first = offset and offset.expression
    for number in (count, first):
        if number and not (isinstance(number, exp.Literal) and number.is_int):
            return None
    return int(first.this) if first else 0, int(count.this) if count else None


def _uncut(query: exp.Query) -> exp.Query:
    """Return a copy of *query* without its LIMIT."""
    copy = query.copy()
    copy.set("limit", None)
    copy.set("offset", None)
    return copy


def _add_keys(query: exp.Select, keys: Sequence[exp.Expr], cut: Cut) -> GoldOrder:
    from sqlglot import exp

    shown = [resolve_key(key, query) for key in keys]
    if None in shown:
        return GoldOrder(True, *cut)
    columns = [exp.alias_(key.copy(), f"intercode_key_{place}") for place, key in enumerate(shown) if key]
    probe = _uncut(query).select(*columns)
    return GoldOrder(True, *cut, probe.sql("mysql"), added=len(columns))


def _show_keys(query: exp.Query, keys: Sequence[exp.Expr], cut: Cut) -> GoldOrder:
    """DISTINCT and UNION bear no further columns; what they are ordered by is usually among their own."""
    places = [_column_index(key, query) for key in keys]
    if query.is_star or None in places:
        return GoldOrder(True, *cut)
    probe = None if cut == (0, None) else _uncut(query).sql("mysql")
    return GoldOrder(True, *cut, probe, visible=tuple(place for place in places if place is not None))


def resolve_key(key: exp.Expr, query: exp.Select) -> exp.Expr | None:
    """Return what a term of ORDER BY stands for: a column's number or a name given in the SELECT, its expression.

    None for a number that counts columns which a `*` hides.
    """
    from sqlglot import exp

    if isinstance(key, exp.Literal) and key.is_int:
        place = _column_index(key, query)
        return None if place is None or query.is_star else query.selects[place].unalias()
    if isinstance(key, exp.Column) and not key.table:
        named = [each for each in query.selects if isinstance(each, exp.Alias) and _name(each.alias) == _name(key.name)]
        return named[0].this if named else key
    return key


def _column_index(key: exp.Expr, query: exp.Query) -> int | None:
    """Return the place of the result's column that *key* is, by number, by name or by being the same expression."""
    from sqlglot import exp

    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.this) - 1 if 1 <= int(key.this) <= len(query.selects) else None
    for place, column in enumerate(query.selects):
        is_named = isinstance(key, exp.Column) and _name(key.name) == _name(column.alias_or_name)
        if is_named or column.unalias() == key:
            return place
    return None


def _name(text: str) -> str:
    return text.lower()
