"""What an answer and its gold show where only some of the rows are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intercode.databases.base import DEFAULT_LIMITS, DatabaseSource, QueryResult
from intercode.databases.sqlite import SqliteDatabase
from intercode.envs.sql.gold_cache import SqlGoldCache, run_script
from intercode.envs.sql.thinning import thin_database
from intercode.errors import BadDataError, DatabaseError
from intercode.rewards.sql.constants import ThinnedResult, still
from intercode.rewards.sql.final_state import SqlEnding, State

LIMITS = replace(DEFAULT_LIMITS, seconds=1.0)
"""A statement that takes longer on a few rows tells nothing."""


def thinned_results(
    golds: SqlGoldCache, source: DatabaseSource, name: str, before: State, earlier: Sequence[str], ending: SqlEnding
) -> tuple[ThinnedResult, ...]:
    """The last statement of the agent, after its *earlier* ones, and the gold's, on each part of *before*.

    *before* is the database *name* of *source*, and *golds* remembers what golds show. Always on the embedded database,
    whatever the episode runs on; what that does not understand shows nothing, nor does a database that it cannot hold.
    Empty as soon as the answer has no column left that could be made up: then there is nothing to look for.
    """
    mine, gold = [*earlier, ending.agent.statement or ""], ending.gold.statement or ""
    assert ending.agent.result is not None
    try:
        with SqliteDatabase(limits=LIMITS) as database:
            parts, seen = thin_database(source, name, before), list[QueryResult | None]()
            for part in parts:
                seen.append(_run_statements(database, part, mine))
                if not still(ending.agent.result, seen):
                    return ()
            expected = [_without_error(golds.probe(database, part, part.name, gold)) for part in parts]
            return tuple(map(ThinnedResult, seen, expected))
    except (BadDataError, DatabaseError):
        return ()


def _run_statements(database: SqliteDatabase, part: DatabaseSource, texts: Sequence[str]) -> QueryResult | None:
    with database.open(part, part.name) as session:
        results = [run_script(session, text).result for text in texts]
    return _without_error(results[-1])


def _without_error(result: QueryResult | None) -> QueryResult | None:
    return None if result is None or result.error is not None else result
