"""Which variants of a database tell an answer that was asked for from one that was made up."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from intercode.types.databases import QueryResult
from intercode.worlds.sql.scoring.expected_rows import expected_rows
from intercode.worlds.sql.scoring.gold_order import GoldOrder
from intercode.worlds.sql.scoring.question import is_void


def is_telling(there: QueryResult, here: QueryResult, order: GoldOrder, probe: QueryResult | None) -> bool:
    """Return whether a right answer has to show what the gold shows on a variant.

    It has where the gold *there* shows something, and something else than *here*, on the database itself; and where the
    rows decide what it shows: no LIMIT cuts through rows that are equal in what they are ordered by.

    Args:
        there: What the gold shows on the variant.
        here: What it shows on the database itself.
        order: What its statement says of its order.
        probe: What the statement `order.probe` shows on the variant.
    """
    if there.error is not None or there.truncated or there.rows is None or is_void(there.rows):
        return False
    if here.rows is None or Counter(map(repr, there.rows)) == Counter(map(repr, here.rows)):
        return False
    is_cut = order.limit is not None or bool(order.offset)
    if not is_cut or order.probe is None:
        return True
    found = expected_rows(there.rows, order, probe)
    return len(found.rows) == len(found.places)


def without_repeats(result: QueryResult) -> QueryResult:
    """Return *result* with each of its rows once.

    Where a gold shows no row twice on the database itself, whether it would has not been asked.
    """
    return result if result.rows is None else replace(result, rows=tuple(dict.fromkeys(result.rows)))


def has_repeats(result: QueryResult) -> bool:
    """Return whether *result* shows a row twice."""
    return result.rows is not None and len(set(result.rows)) < len(result.rows)
