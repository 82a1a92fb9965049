"""The SQL world: statements on a database, judged by what the last of them shows and by what all of them changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Unpack

from gymnasium.error import ResetNeeded

from intercode import databases
from intercode.databases.base import Database, DatabaseSession, QueryResult
from intercode.databases.dialect.access_level import access_level
from intercode.databases.dialect.tokenizer import first_word
from intercode.datasets.base import Dataset
from intercode.envs.base import NO_WAY_BACK, Env, PlayOptions
from intercode.envs.core.observations import with_notice
from intercode.envs.core.snapshots import SavedState
from intercode.envs.sql.gold_cache import SqlGoldCache, name_of, run_script
from intercode.envs.sql.nondeterminism import nondeterministic_state
from intercode.envs.sql.thinned_data import thinned_results
from intercode.errors import SnapshotError
from intercode.rewards.sql.exact import exact, may_be_constant, question
from intercode.rewards.sql.final_state import SqlEnding, SqlFinalState, State
from intercode.rewards.sql.paper import paper
from intercode.types import Observation, Scores


@dataclass(frozen=True, slots=True)
class SqlState:
    """What `SqlEnv.save_state` keeps: statements that did more than read, the last outcome, the state's name."""

    statements: tuple[str, ...]
    last: SqlFinalState
    state: str

    def close(self) -> None:
        """It holds nothing."""


class SqlEnv(Env):
    """`intercode/SQL-v1`. An action is a statement in MySQL's SQL, on a database that is fresh in every episode.

    *database* is `sqlite`, `mysql`, the URL of a server, or a `Database`, which is then not closed with the environment
    (None: MySQL or MariaDB where one is installed, else SQLite). With *handicap* the query comes with the database's
    tables, as their CREATE statements.

    Rows are observed as the published benchmark shows them, a Python list of tuples. Under `exact` scoring an action
    may hold several statements, of which the last one run is observed; under `paper` scoring that is an error, as it
    was.
    """

    world = "sql"
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
        self._owns_database = not isinstance(database, Database)
        if not isinstance(database, Database):
            database = databases.find(database or databases.default(self.dataset.source(self.dataset[0])))
        self.database = database
        self._golds = SqlGoldCache.of(self.database)
        self.last = SqlFinalState()
        self._version = "no database"  # until one has been opened
        self._ran: list[str] = []  # in this episode: what may live on

    @property
    def compatibility_key(self) -> dict[str, str]:
        """See `Env.compatibility_key`."""
        return super().compatibility_key | {"database": type(self.database).__name__}

    # The hooks of `Env`

    def prepare(self) -> None:
        """A session on an untouched copy of the task's database."""
        self._source, self._name = self.dataset.source(self.task), self.dataset.database(self.task)
        self.last, self._ran = SqlFinalState(), []
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
            self.last = run_script(self._session, text)
        else:
            self.last = SqlFinalState(text, self._session.run(text))
        assert self.last.result is not None
        return self._observation(self.last.result)

    def score(self) -> Scores:
        """Both scores of the last result, and of what the database holds now."""
        ending = self.ending()
        asked = question(ending)
        if asked is not None:
            probed = self._golds.probe(self.database, self._source, self._name, asked)
            ending = replace(ending, probed=probed)
        score = exact(ending)
        if may_be_constant(ending, score):
            texts = [text for text in self._ran if text != ending.agent.statement]
            thinned = thinned_results(self._golds, self._source, self._name, self._before(), texts, ending)
            score = exact(replace(ending, thinned=thinned))
        return {"paper": paper(ending), "exact": score}

    def state_hash(self) -> str:
        """The state of the database, as committed."""
        if self.connection is not None and self.connection.changed():
            return name_of(self._name, self.connection.state())
        return self._golds.untouched(self.database, self._source, self._name)

    def save_state(self) -> SqlState:
        """What was run, to be run again on an untouched copy, and what that must come to.

        Raises SnapshotError where chance or the clock has left what nobody could compare then.
        """
        if self._session and (statement := nondeterministic_state(self._ran)):
            raise SnapshotError(
                "this state cannot be kept: time or chance has made what is in a variable, a temporary table or a "
                f"transaction, which would be another next time, in {statement[:200]}; snapshot before that"
            )
        state = self.history[-1].state_hash if self.history else self.state_hash()  # between turns nothing changes it
        return SqlState(tuple(self._ran), self.last, state)

    def restore_state(self, world: SavedState) -> None:
        """See `Env.restore_state`.

        Raises SnapshotError where the statements come to another state: they use chance or time.
        """
        assert isinstance(world, SqlState)
        self.prepare()
        for text in world.statements:
            self.execute(text)
        self.last = world.last
        if self.state_hash() != world.state:
            raise SnapshotError(f"{NO_WAY_BACK}: its statements depend on time or chance")

    def detach(self) -> None:
        """See `Env.detach`."""
        self._owns_database, self.connection = False, None

    def stop_processes(self) -> None:
        """Nothing runs between statements."""

    def end_episode(self) -> None:
        """Close the session; its changes are gone."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def close_backend(self) -> None:
        """End the database, unless it was given."""
        if self._owns_database:
            self.database.close()

    @property
    def backend_id(self) -> str:
        """The database and its version, and the checksum of what was loaded into it."""
        return f"{self._version}@{self._source.checksum}"

    # For those who judge otherwise

    def ending(self) -> SqlEnding:
        """All that rewards look at, as things stand (but for what `exact` may ask beside)."""
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

    def _observation(self, result: QueryResult) -> Observation:
        text = show_rows(result, as_published=self.scoring == "paper")
        if result.truncated:
            text = with_notice(text, "the result was cut here: it has more rows than are shown")
        return Observation(text, result.code, result.timed_out, result.truncated, result.seconds)


def show_rows(result: QueryResult, *, as_published: bool = True, most: int | None = None) -> str:
    """*result* as an agent sees it, its first *most* rows. The published benchmark says `None` where there are none."""
    if result.error is not None:
        return f"Error executing query: {result.message}"
    if result.rows is not None:
        return str(list(result.rows[:most]))
    return "None" if as_published else f"Query OK, {result.affected} row{'' if result.affected == 1 else 's'} affected"
