"""The database of a task as it was, for those who judge: what golds do on it, and what is on its variants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from intercode.types.databases import Database, DatabaseSource, QueryResult
from intercode.worlds.sql.gold_cache import SqlGoldCache
from intercode.worlds.sql.scoring.final_state import SqlEnding, SqlFinalState, State
from intercode.worlds.sql.variant_data import VariantData


@dataclass(frozen=True, slots=True)
class UntouchedDatabase:
    """The database *name* of *source* on *database*, whose *golds* know what was asked before.

    All of it raises MachineError if the database breaks.
    """

    golds: SqlGoldCache
    database: Database
    source: DatabaseSource
    name: str

    def outcome(self, gold: str) -> SqlFinalState:
        """Return what the statements of *gold* leave behind."""
        return self.golds.outcome(self.database, self.source, self.name, gold)

    def state(self) -> State:
        """Return all that it holds."""
        return self.golds.before(self.database, self.source, self.name)

    def probe(self, statement: str) -> QueryResult:
        """See `Untouched.probe`."""
        return self.golds.probe(self.database, self.source, self.name, statement)

    def variants(self, ending: SqlEnding) -> Iterator[SqlEnding]:
        """See `Untouched.variants`."""
        with self.golds.variants.use(self.database, (self.source, self.name)) as embedded:
            data = VariantData(self.golds, embedded, self.database, self.source, self.name, self.state())
            yield from data.endings(ending)
