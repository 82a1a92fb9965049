"""The SQL world: statements on a database, judged by what the last of them shows and by what all of them changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from gymnasium.error import ResetNeeded

from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.env.observations import with_notice
from intercode.env.options import PlayOptions
from intercode.env.saved_state import NO_WAY_BACK, SavedState
from intercode.errors import SnapshotError
from intercode.rewards.base import EndingReward
from intercode.rewards.core.guessed import is_guessed
from intercode.types import Observation, Task
from intercode.types.databases import Database, DatabaseSession, QueryResult
from intercode.worlds.sql import databases
from intercode.worlds.sql.databases.dialect.access_level import access_level
from intercode.worlds.sql.databases.dialect.tokenizer import first_word
from intercode.worlds.sql.gold_cache import SqlGoldCache, name_of, run_script
from intercode.worlds.sql.judging import judge_exactly
from intercode.worlds.sql.nondeterminism import nondeterministic_state
from intercode.worlds.sql.saved_state import SqlState
from intercode.worlds.sql.scoring.final_state import SqlEnding, SqlFinalState, State
from intercode.worlds.sql.scoring.paper import paper
from intercode.worlds.sql.scoring.values import plain
from intercode.worlds.sql.spec import SPEC
from intercode.worlds.sql.untouched_database import UntouchedDatabase


class SqlEnv(Env):
    """`intercode/SQL-v1`. An action is a statement in MySQL's SQL, on a database that is fresh in every episode.

    Rows are observed as the published benchmark shows them, a Python list of tuples. Under `exact` scoring an action
    may hold several statements, and the result of the last one is observed. Under `paper` scoring that is an error, as
    it was.

    Args:
        dataset: A name, a path, or a `Dataset`.
        database: `sqlite`, `mysql`, the URL of a server, or a `Database`, which is then not closed with the
            environment. None: MySQL or MariaDB where one is installed, else SQLite.
        handicap: Whether the query comes with the database's tables, as their CREATE statements.
        **options: See `PlayOptions`.

    Raises:
        UserError: If an option is impossible.
    """

    world_spec = SPEC
    rewards = {"paper": EndingReward(paper, first_gold=True), "exact": EndingReward(judge_exactly)}
    needs_sandbox = False

    connection: DatabaseSession | None = None
    """The database of the episode that goes on."""

    def __init__(
        self,
        dataset: str | Dataset = "starter-sql",
        *,
        database: str | Database | None = None,
        handicap: bool = False,
        **options: Unpack[PlayOptions],
    ) -> None:
        super().__init__(dataset, **options)
        self.handicap = handicap
        self.owns_backend = not isinstance(database, Database)
        if not isinstance(database, Database):
            database = databases.find(database or databases.default(self.dataset.source(self.dataset[0])))
        self.database = database
        self._golds = SqlGoldCache.of(self.database)
        self.last = SqlFinalState()
        self._version = "no database"  # until one has been opened
        self._ran: list[str] = []  # in this episode: what may live on
        self._untouched = ""  # what `state_hash` says of the database as it was, once that was asked for

    # The hooks of `Env`

    def prepare(self) -> None:
        """A session on an untouched copy of the task's database."""
        self._source, self._name = self.dataset.source(self.task), self.dataset.database(self.task)
        self.last, self._ran, self._untouched = SqlFinalState(), [], ""
        self.connection = self.database.open(self._source, self._name)
        self._version = self.database.version()

    def initial_observation(self) -> Observation:
        """Return the query, and with a handicap the tables."""
        if not self.handicap:
            return super().initial_observation()
        return Observation("\n\n".join([self.task.query, *(table.create for table in self._before().values())]))

    def execute(self, text: str) -> Observation:
        """Run *text*."""
        if access_level(text) != "read" or first_word(text) == "use":
            self._ran.append(text)
        if self.scoring == "exact":
            self.last = run_script(self._session, text, seconds=self.action_seconds)
        else:
            self.last = SqlFinalState(text, self._session.run(text, timeout=self.action_seconds))
        assert self.last.result is not None
        return observation(self.last.result, as_published=self.scoring == "paper")

    def ending(self, task: Task) -> Any:
        """Return the last result and what the database holds now, and the same of the gold."""
        mine = replace(self.last, state=self._session.state()) if self._session.changed() else self.last
        untouched = UntouchedDatabase(self._golds, self.database, self._source, self._name)
        gold = untouched.outcome(task.gold or "")
        before = untouched.state() if mine.state is not None or gold.state is not None else {}
        earlier = tuple(text for text in self._ran if text != self.last.statement)
        return SqlEnding(task, mine, gold, before, earlier=earlier, untouched=untouched)

    def is_answer_guessed(self, ending: Any) -> bool:
        gold = ending.gold.result if isinstance(ending, SqlEnding) else None
        rows = gold.rows if gold is not None and gold.rows is not None else ()
        return len(rows) == 1 and len(rows[0]) == 1 and is_guessed(str(plain(rows[0][0])))

    def state_hash(self) -> str:
        """Return the state of the database, as committed."""
        if self.connection is not None and self.connection.changed():
            return name_of(self._name, self.connection.state())
        if not self._untouched:
            self._untouched = self._golds.untouched_name(self.database, self._source, self._name)
        return self._untouched

    def stop_processes(self) -> None:
        """Nothing runs between statements."""

    def interrupt(self) -> None:
        """Stop the statement that another thread runs, as if its time were over."""
        if self.connection is not None:
            self.connection.interrupt()

    @property
    def limit_seconds(self) -> float:
        """The time limit of any statement, in seconds."""
        return self._session.limits.seconds

    def end_episode(self) -> None:
        """Close the session; its changes are gone."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def close_backend(self) -> None:
        """End the database, unless it was given."""
        if self.owns_backend:
            self.database.close()

    @property
    def backend_id(self) -> str:
        """The database and its version, and the checksum of what was loaded into it."""
        return f"{self._version}@{self._source.checksum}"

    # Branches

    def branch_key(self) -> dict[str, str]:
        return super().branch_key() | {"database": type(self.database).__name__}

    def save_state(self) -> SqlState:
        """Return what was run, to be run again on an untouched copy, and what that must come to.

        Raises:
            SnapshotError: If chance or the clock has left what nobody could compare then.
        """
        if self._session and (statement := nondeterministic_state(self._ran)):
            raise SnapshotError(
                "this state cannot be saved: time or chance has made what is in a variable, a temporary table or a "
                f"transaction, which would be another next time, in {statement[:200]}; snapshot before that"
            )
        state = self.history[-1].state_hash if self.history else self.state_hash()  # no turn goes on: it still holds
        return SqlState(tuple(self._ran), self.last, state)

    def load_state(self, state: SavedState) -> None:
        """See `Env.load_state`.

        Raises:
            SnapshotError: If the statements come to another state: they use chance or time.
        """
        assert isinstance(state, SqlState)
        self.prepare()
        for text in state.statements:
            self.execute(text)
        self.last = state.last
        if self.state_hash() != state.state:
            raise SnapshotError(f"{NO_WAY_BACK}: its statements depend on time or chance")

    def detach(self) -> None:
        self.connection = None

    # How

    @property
    def _session(self) -> DatabaseSession:
        if self.connection is None:
            raise ResetNeeded("no episode goes on: call reset() first")
        return self.connection

    def _before(self) -> State:
        return self._golds.before(self.database, self._source, self._name)


def observation(result: QueryResult, *, as_published: bool = False) -> Observation:
    """Return what an agent sees of *result*."""
    text = show_rows(result, as_published=as_published)
    if result.truncated:
        text = with_notice(text, "the result was cut here: it has more rows than are shown")
    return Observation(text, result.code, result.timed_out, result.truncated, result.seconds)


def show_rows(result: QueryResult, *, as_published: bool = True, most: int | None = None) -> str:
    """Write rows as an agent sees them.

    Args:
        result: The result of a statement.
        as_published: Whether to write `None` where there are no rows, as the published benchmark does.
        most: How many rows to write. None: all.
    """
    if result.error is not None:
        return f"Error executing query: {result.message}"
    if result.rows is not None:
        return str(list(result.rows[:most]))
    return "None" if as_published else f"Query OK, {result.affected} row{'' if result.affected == 1 else 's'} affected"
