"""An ending played again on variants of the database: where the gold moves, the answer has to follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from intercode.errors import BadDataError, DatabaseError
from intercode.types.databases import Database, DatabaseSource, QueryResult
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.gold_cache import SqlGoldCache, run_script
from intercode.worlds.sql.open_variants import Place
from intercode.worlds.sql.scoring.exact import question
from intercode.worlds.sql.scoring.final_state import SqlEnding, SqlFinalState, State
from intercode.worlds.sql.scoring.gold_order import order_of
from intercode.worlds.sql.scoring.telling import has_repeats, is_telling, without_repeats
from intercode.worlds.sql.variants import KINDS, ROUGH, replacements, variant

ENOUGH = 3
"""Variants that an answer is tried on: the first in which its gold moves."""

ENOUGH_FOR_NUMBERS = 8
"""The same for golds that show one whole number: there is less in each."""


@dataclass(frozen=True, slots=True)
class VariantData:
    """The variants of the database *name* of *source*, in which *before* is its state, on the *embedded* database.

    What that does not understand is asked of *own*, the database that the episode runs on.
    """

    golds: SqlGoldCache
    embedded: SqliteDatabase
    own: Database
    source: DatabaseSource
    name: str
    before: State

    def endings(self, ending: SqlEnding) -> Iterator[SqlEnding]:
        """Yield what both sides of *ending* show on each variant that tells something, the agent after earlier texts.

        None at all where the embedded database cannot hold the data.
        """
        mine, gold, here = ending.agent.statement or "", ending.gold.statement or "", ending.gold.result
        if here is None:
            return
        once = not order_of(gold).ordered and not has_repeats(here)
        for number, place, right in self._telling(gold, here, once=once):
            shown = self._show(number, place, (*ending.earlier, mine))
            shown = without_repeats(shown) if once and shown is not None else shown
            there = replace(ending, agent=SqlFinalState(mine, shown), gold=SqlFinalState(gold, right), probe=None)
            asked = question(there)
            yield there if asked is None else replace(there, probe=self._probe(place, asked))

    def _telling(self, gold: str, here: QueryResult, *, once: bool) -> Sequence[tuple[int, Place, QueryResult]]:
        """Return the first variants in which *gold* moves from what it shows *here*, with what it shows there.

        With *once* each row counts once.
        """
        return self.golds.once(
            ("telling", self.source, self.name, gold), lambda: tuple(self._look(gold, here, once=once))
        )

    def _look(self, gold: str, here: QueryResult, *, once: bool) -> Iterator[tuple[int, Place, QueryResult]]:
        order, count, enough = order_of(gold), 0, ENOUGH_FOR_NUMBERS if shows_number(here) else ENOUGH
        for number in range(len(KINDS)):
            if count >= (enough if number < ROUGH else 1):
                return
            try:
                source = variant(self.source, self.name, self.before, number)
                place = source, source.name
                there = self._probe(place, gold)
                probe = None if order.probe is None else self._probe(place, order.probe)
            except (BadDataError, DatabaseError):
                return
            there = without_repeats(there) if once else there
            if is_telling(there, here, order, probe):
                yield number, place, there
                count += 1

    def _probe(self, place: Place, statement: str) -> QueryResult:
        return self.golds.probe(self.embedded, *place, statement)

    def _show(self, number: int, place: Place, texts: tuple[str, ...]) -> QueryResult | None:
        """Return what the last of *texts* shows on variant *number*, which is at *place*."""
        source, name = place
        found = self.golds.answers.find((source, texts))
        if found is None:
            with self.embedded.open(source, name) as session:
                found = [run_script(session, text).result for text in texts][-1]
            if found is not None and found.error is not None and self.own.dialect != self.embedded.dialect:
                with self.own.open(self.source, self.name) as session:
                    for statement in replacements(self.before, number):
                        session.run(statement)
                    found = [run_script(session, text).result for text in texts][-1]
            if found is not None:
                self.golds.answers.remember((source, texts), found)
        return found


def shows_number(result: QueryResult | None) -> bool:
    """Return whether *result* is one whole number."""
    if result is None or result.rows is None or len(result.rows) != 1:
        return False
    return [*map(type, result.rows[0])] == [int]
