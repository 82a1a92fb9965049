"""Short ways to write what the rewards of the SQL world judge."""

from __future__ import annotations

from typing import Any

from intercode.types import Task
from intercode.types.databases import QueryResult, TableState
from intercode.worlds.sql.scoring.final_state import SqlEnding, SqlFinalState, State

TASK = Task("test/1", "Who is there?", world="sql")


def result(*rows: tuple[Any, ...], columns: int = 1, truncated: bool = False) -> QueryResult:
    """A result set; *columns* says how many there are where no row does."""
    width = len(rows[0]) if rows else columns
    return QueryResult(rows, tuple(f"c{place}" for place in range(width)), truncated=truncated)


NO_ROWS = QueryResult(None)
"""What INSERT, SET and their like give."""

FAILED = QueryResult(None, error="1146 (42S02): Table 'shop.bikes' doesn't exist")


def ending(
    mine: QueryResult | None,
    golds: QueryResult,
    gold: str = "SELECT name FROM staff",
    *,
    statement: str = "SELECT name FROM staff",
    probe: QueryResult | None = None,
) -> SqlEnding:
    """One in which nobody changed anything."""
    return SqlEnding(TASK, SqlFinalState(statement, mine), SqlFinalState(gold, golds), probe=probe)


def table(name: str, *rows: tuple[Any, ...], create: str = "", columns: tuple[str, ...] = ("id", "name")) -> TableState:
    definition = ", ".join(f"`{column}` {'int' if column == 'id' else 'text'}" for column in columns)
    return TableState(name, columns, tuple(sorted(rows, key=repr)), create or f"CREATE TABLE `{name}` ({definition})")


def state(*tables: TableState) -> State:
    return {each.name: each for each in tables}
