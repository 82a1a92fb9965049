"""The SQL world: statements on a database, judged by what the last of them shows and by what all of them changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from gymnasium.error import ResetNeeded

from intercode import databases
from intercode.databases.base import Database, DatabaseSession, QueryResult
from intercode.databases.dialect.access_level import access_level
from intercode.databases.dialect.tokenizer import first_word
from intercode.datasets.base import Dataset
from intercode.envs.base import Env
from intercode.envs.core.observations import with_notice
from intercode.envs.core.options import PlayOptions
from intercode.envs.sql.branching import SqlBranching
from intercode.envs.sql.gold_cache import SqlGoldCache, name_of, run_script
from intercode.envs.sql.judging import judge_exactly
from intercode.rewards.sql.final_state import SqlEnding, SqlFinalState, State
from intercode.rewards.sql.paper import paper
from intercode.types import Observation, Scores
from intercode.worlds.sql import SPEC


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
    branching = SqlBranching
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
        self._owns_backend = not isinstance(database, Database)
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
        """The query, and with a handicap the tables."""
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

    def score(self) -> Scores:
        """Both scores of the last result, and of what the database holds now."""
        ran = [text for text in self._ran if text != self.last.statement]
        ending, score = judge_exactly(self._golds, self.database, self._source, self._name, self.read_ending(), ran)
        self.ending = ending
        return {"paper": paper(ending), "exact": score}

    def state_hash(self) -> str:
        """The state of the database, as committed."""
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
        if self._owns_backend:
            self.database.close()

    @property
    def backend_id(self) -> str:
        """The database and its version, and the checksum of what was loaded into it."""
        return f"{self._version}@{self._source.checksum}"

    # For those who judge otherwise

    def read_ending(self) -> SqlEnding:
        """All that rewards look at, at this moment, but for the queries that `exact` may run besides."""
        changed = self._session.changed()
        mine = replace(self.last, state=self._session.state()) if changed else self.last
        gold = self._golds.outcome(self.database, self._source, self._name, self.task.gold or "")
        touched = mine.state is not None or gold.state is not None
        return SqlEnding(self.task, mine, gold, self._before() if touched else {})

    # How

    @property
    def _session(self) -> DatabaseSession:
        if self.connection is None:
            raise ResetNeeded("no episode goes on: call reset() first")
        return self.connection

    def _before(self) -> State:
        return self._golds.before(self.database, self._source, self._name)


def observation(result: QueryResult, *, as_published: bool = False) -> Observation:
    """What an agent sees of *result*."""
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
