"""What an answer and its gold show where only some of the rows are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intercode.closing import Closeable
from intercode.databases.base import DEFAULT_LIMITS, DatabaseSource, QueryResult
from intercode.databases.sqlite import SqliteDatabase
from intercode.envs.sql.gold_cache import SqlGoldCache, run_script
from intercode.envs.sql.thinning import thin_database
from intercode.errors import BadDataError, DatabaseError
from intercode.rewards.sql.constants import SubsetResult, still
from intercode.rewards.sql.final_state import SqlEnding, State

LIMITS = replace(DEFAULT_LIMITS, seconds=1.0)
"""A statement that takes longer on a few rows tells nothing."""


class SubsetData(Closeable):
    """The database *name* of *source*, with only some of its rows. For one thread.

    Always on the embedded database, whatever episodes run on; what that does not understand shows nothing, nor does a
    database that it cannot hold.
    """

    def __init__(self, golds: SqlGoldCache, source: DatabaseSource, name: str) -> None:
        """*golds* remembers what golds and answers show."""
        self._golds, self._source, self._name = golds, source, name
        self._database: SqliteDatabase | None = None
        self._parts: Sequence[DatabaseSource] = ()

    def results(self, before: State, earlier: Sequence[str], ending: SqlEnding) -> tuple[SubsetResult, ...]:
        """The last statement of the agent, after its *earlier* ones, and the gold's, on each part of *before*.

        *before* is the state of the whole. Empty as soon as the answer has no column left that could be made up: then
        there is nothing to look for.
        """
        mine, gold = (*earlier, ending.agent.statement or ""), ending.gold.statement or ""
        assert ending.agent.result is not None
        try:
            database = self._database = self._database or SqliteDatabase(limits=LIMITS)
            self._parts = self._parts or thin_database(self._source, self._name, before)
            seen = list[QueryResult | None]()
            for part in self._parts:
                seen.append(self._show(database, part, mine))
                if not still(ending.agent.result, seen):
                    return ()
            expected = [self._golds.probe(database, part, part.name, gold) for part in self._parts]
            return tuple(map(SubsetResult, seen, map(_without_error, expected)))
        except (BadDataError, DatabaseError):
            return ()

    def close(self) -> None:
        """See `Closeable.close`."""
        if self._database is not None:
            self._database.close()

    def _show(self, database: SqliteDatabase, part: DatabaseSource, texts: tuple[str, ...]) -> QueryResult | None:
        """What the last of *texts* shows on *part*."""
        found = self._golds.answers.find((part, texts))
        if found is None:
            with database.open(part, part.name) as session:
                results = [run_script(session, text).result for text in texts]
            found = results[-1]
            if found is not None:
                self._golds.answers.remember((part, texts), found)
        return _without_error(found)


def _without_error(result: QueryResult | None) -> QueryResult | None:
    return None if result is None or result.error is not None else result
