"""The golds' endings on a database, computed once and kept for as long as that lives."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from hashlib import sha256
from weakref import WeakKeyDictionary

from intercode.databases.base import Database, DatabaseSession, DatabaseSource, QueryResult
from intercode.databases.dialect.tokenizer import statements
from intercode.rewards.sql.final_state import SqlFinalState, State

Key = tuple[DatabaseSource, str, str]
"""A source, a database in it, and a text."""


class SqlGoldCache:
    """Knows what golds do on untouched copies. Safe to use from several threads; each is run by one of them.

    `of` gives the one keeper of a database: environments that share it share what is known. Nothing goes on disk: a
    gold takes milliseconds. All methods raise MachineError when the database gives way.
    """

    _keepers: WeakKeyDictionary[Database, SqlGoldCache] = WeakKeyDictionary()
    _guard = threading.Lock()

    def __init__(self) -> None:
        self._outcomes: dict[Key, SqlFinalState] = {}
        self._states: dict[Key, State] = {}
        self._names: dict[Key, str] = {}
        self._probes: dict[Key, QueryResult] = {}
        self._locks: defaultdict[Key, threading.Lock] = defaultdict(threading.Lock)

    @classmethod
    def of(cls, database: Database) -> SqlGoldCache:
        """The keeper of *database*, for as long as that lives."""
        with cls._guard:
            return cls._keepers.setdefault(database, cls())

    def outcome(self, database: Database, source: DatabaseSource, name: str, gold: str) -> SqlFinalState:
        """What the statements of *gold* leave behind, run one by one on the database *name* of *source*."""
        key = (source, name, gold)
        with self._lock(key):
            if key not in self._outcomes:
                with database.open(source, name) as session:
                    self._outcomes[key] = run_all(session, gold)
            return self._outcomes[key]

    def before(self, database: Database, source: DatabaseSource, name: str) -> State:
        """The untouched database *name* of *source*."""
        key = (source, name, "")
        with self._lock(key):
            if key not in self._states:
                with database.open(source, name) as session:
                    self._states[key] = session.state()
            return self._states[key]

    def untouched(self, database: Database, source: DatabaseSource, name: str) -> str:
        """The short name of that state, found once: agents that only read are asked for it at every turn."""
        key = (source, name, "name")
        if known := self._names.get(key):
            return known
        with self._lock(key):
            if key not in self._names:
                self._names[key] = name_of(name, self.before(database, source, name))
            return self._names[key]

    def probe(self, database: Database, source: DatabaseSource, name: str, statement: str) -> QueryResult:
        """What one *statement* shows there."""
        key = (source, name, statement)
        with self._lock(key):
            if key not in self._probes:
                with database.open(source, name) as session:
                    self._probes[key] = session.run(statement)
            return self._probes[key]

    def _lock(self, key: Key) -> threading.Lock:
        with self._guard:
            return self._locks[key]


def name_of(database: str, state: State) -> str:
    """Sixteen hex digits: equal for equal definitions and rows."""
    tables = [(table.name, table.columns, repr(table.rows), table.create) for table in state.values()]
    return sha256(json.dumps([database, sorted(tables)]).encode()).hexdigest()[:16]


def run_all(session: DatabaseSession, text: str) -> SqlFinalState:
    """Run the statements in *text* until one fails; what the last of them did, and what all of them left."""
    last = run_script(session, text)
    return SqlFinalState(last.statement, last.result, session.state() if session.changed() else None)


def run_script(session: DatabaseSession, text: str) -> SqlFinalState:
    """The same without a look at what they left."""
    outcome = SqlFinalState()
    for statement in [each.text for each in statements(text)] or [text]:
        outcome = SqlFinalState(statement, session.run(statement))
        if outcome.result is None or outcome.result.error is not None:
            break
    return outcome
