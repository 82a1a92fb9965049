"""The golds' endings on a database, computed once and kept for as long as that lives."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

from intercode.env.gold_runner import GoldRunner, fresh
from intercode.errors import DatabaseError
from intercode.types.databases import Database, DatabaseSession, DatabaseSource, QueryResult
from intercode.worlds.sql.databases.dialect.tokenizer import statement_texts
from intercode.worlds.sql.open_variants import OpenVariants
from intercode.worlds.sql.recent_answers import RecentAnswers
from intercode.worlds.sql.scoring.final_state import SqlFinalState, State
from intercode_sandbox.deadline import PATIENCE

V = TypeVar("V")

STARVED = "nothing can be judged by {!r}: it did not end in {:.0f} s"


class SqlGoldCache(GoldRunner):
    """Knows what golds do on untouched copies. Safe to use from several threads; each is run by one of them.

    Nothing goes on disk: a gold takes milliseconds. All methods raise MachineError when the database gives way.

    Attributes:
        answers: What answers showed on variants of databases.
        variants: What has these variants open.
    """

    def __init__(self) -> None:
        super().__init__()
        self.answers = RecentAnswers()
        self.variants = OpenVariants()

    def outcome(self, database: Database, source: DatabaseSource, name: str, gold: str) -> SqlFinalState:
        """Return what the statements of *gold* leave behind, run one by one on the database *name* of *source*."""
        return self._on_a_copy("outcome", database, source, name, gold, lambda session: run_all(session, gold))

    def before(self, database: Database, source: DatabaseSource, name: str) -> State:
        """Return the untouched database *name* of *source*."""
        return self._on_a_copy("state", database, source, name, "", lambda session: session.state())

    def untouched_name(self, database: Database, source: DatabaseSource, name: str) -> str:
        """Return the short name of that state, found once: agents that only read are asked for it at every turn."""
        return self.once(("name", source, name), lambda: name_of(name, self.before(database, source, name)))

    def probe(self, database: Database, source: DatabaseSource, name: str, statement: str) -> QueryResult:
        """Return what one *statement* shows there."""
        found = self._on_a_copy("probe", database, source, name, statement, lambda session: run_all(session, statement))
        assert found.result is not None
        return found.result

    def _on_a_copy(
        self,
        what: str,
        database: Database,
        source: DatabaseSource,
        name: str,
        text: str,
        play: Callable[[DatabaseSession], V],
    ) -> V:
        def played() -> V:
            with fresh(lambda: database.open(source, name)) as session:
                return play(session)

        return self.once((what, source, name, text), played)


def name_of(database: str, state: State) -> str:
    """Sixteen hex digits: equal for equal definitions and rows."""
    tables = [(table.name, table.columns, repr(table.rows), table.create) for table in state.values()]
    return sha256(json.dumps([database, sorted(tables)]).encode()).hexdigest()[:16]


def run_all(session: DatabaseSession, text: str) -> SqlFinalState:
    """Run the statements in *text* until one fails; what the last of them did, and what all of them left.

    Each has `PATIENCE` times what an agent's may take, by the clock: no server tells how much it has worked for one.

    Raises:
        DatabaseError: If that is too little: then nothing is known of the gold.
    """
    seconds = session.limits.seconds * PATIENCE
    last = run_script(session, text, seconds=seconds)
    if last.result is not None and last.result.timed_out:
        raise DatabaseError(STARVED.format(f"{last.statement:.80}", seconds))
    return SqlFinalState(last.statement, last.result, session.state() if session.changed() else None)


def run_script(session: DatabaseSession, text: str, *, seconds: float | None = None) -> SqlFinalState:
    """Return the same without a look at what they left. Each may take *seconds* (None: the session's limit)."""
    outcome = SqlFinalState()
    for statement in statement_texts(text) or (text,):
        outcome = SqlFinalState(statement, session.run(statement, timeout=seconds))
        if outcome.result is None or outcome.result.error is not None:
            break
    return outcome
