"""The quick way to certify SQL tasks: what hackcheck and `TaskCertifier` play, judged by the environment's function.

What a statement shows depends on the database and on what ran before it, on no task. So an attempt that is the same for
all tasks over one database, as most of an adversary's are, is played once. One that is known not to score 1 is not
played at all (`sql_foresight.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain

from intercode.databases.base import Database, DatabaseSession, DatabaseSource
from intercode.databases.dialect.access_level import access_level
from intercode.databases.dialect.tokenizer import first_word
from intercode.datasets.base import Dataset
from intercode.envs.base import Env
from intercode.envs.sql.env import SqlEnv, observation
from intercode.envs.sql.gold_cache import SqlGoldCache, run_script
from intercode.envs.sql.judging import judge_exactly
from intercode.envs.sql.subset_data import SubsetData
from intercode.errors import DatabaseLostError, MachineError
from intercode.rewards.sql.final_state import SqlEnding, SqlFinalState
from intercode.runs.certify import sql_foresight
from intercode.runs.certify.known_actions import actions_of
from intercode.runs.certify.pool import BashPool, Certifier, Piece, pieces
from intercode.runs.certify.task_run import TaskRun
from intercode.runs.certify.verdict import TaskVerdict
from intercode.runs.hackcheck.adversary import Adversary, Moves
from intercode.runs.job import Job
from intercode.types import Action, Observation, Score, Task

Path = tuple[str, ...]
"""The actions of an attempt, from the first."""


class _Replay:
    """A session of one attempt, opened when the first of its actions has to be run."""

    def __init__(self, database: Database, source: DatabaseSource, name: str) -> None:
        self._place = database, source, name
        self._session: DatabaseSession | None = None
        self._ran = 0
        self._left = SqlFinalState()

    def run(self, path: Path) -> SqlFinalState:
        """What the last action of *path* did; those before it run first where they have not."""
        for text in path[self._ran :]:
            self._left = run_script(self.session, text)
        self._ran = len(path)
        return self._left

    @property
    def session(self) -> DatabaseSession:
        """The session, begun with the first use."""
        if self._session is None:
            database, source, name = self._place
            self._session = database.open(source, name)
        return self._session

    def close(self) -> None:
        """End the session, if there is one."""
        if self._session is not None:
            self._session.close()


@dataclass
class SqlEndings:
    """Plays attempts on the database *name* of *source*, by one thread; it remembers what they showed and left."""

    database: Database
    source: DatabaseSource
    name: str
    _seen: dict[Path, Observation] = field(default_factory=dict)
    _left: dict[Path, SqlFinalState] = field(default_factory=dict)

    def play(self, moves: Moves) -> tuple[SqlFinalState | None, Path]:
        """What *moves* leave, and the actions that they ran. None where they broke the database."""
        path: Path = ()
        with closing(_Replay(self.database, self.source, self.name)) as replay:
            try:
                action = next(moves, None)
                while action is not None and action.kind == "execute":
                    path = (*path, action.text)
                    action = _next(moves, self._observe(path, replay))
                return self._ending(path, replay), path
            except DatabaseLostError:
                return None, path

    def forget(self, text: str) -> None:
        """What the action *text* did alone."""
        self._seen.pop((text,), None)
        self._left.pop((text,), None)

    def _observe(self, path: Path, replay: _Replay) -> Observation:
        if path not in self._seen:
            result = replay.run(path).result
            assert result is not None
            self._seen[path] = observation(result)
        return self._seen[path]

    def _ending(self, path: Path, replay: _Replay) -> SqlFinalState:
        if path not in self._left:
            left, session = replay.run(path), replay.session
            self._left[path] = replace(left, state=session.state()) if session.changed() else left
        return self._left[path]


def _next(moves: Moves, seen: Observation) -> Action | None:
    try:
        return moves.send(seen)
    except StopIteration:
        return None


@dataclass(frozen=True)
class SqlTaskJudge:
    """Judges attempts at *task* as the environment does."""

    task: Task
    golds: SqlGoldCache
    is_volatile: bool = False
    foresees: bool = True
    """Whether attempts are ruled out."""

    subsets: SubsetData | None = None
    """What judges answers by some of the rows, where several tasks over one database share it."""

    def score_of_second_run(self) -> None:
        """None: a gold is run once to judge by it."""

    def rules_out(self, where: SqlEndings, attempt: Adversary) -> bool:
        """Whether *attempt* cannot score 1 by any gold, whatever its statements show."""
        known = actions_of(attempt.moves(self.task.view())) if self.foresees else None
        if known is None:
            return False
        golds = (self._gold(task, where) for task in (self.task, *self.task.alternatives))
        return sql_foresight.rules_out(golds, known[0])

    def score(self, where: SqlEndings, moves: Moves) -> Score:
        """What the ending of *moves* is worth, by whichever of the task's golds fits best."""
        return self._judge(where, moves, only_success=False)

    def succeeds(self, where: SqlEndings, moves: Moves) -> bool:
        """Whether `score` gives a success: nothing is looked at that could only lower another score."""
        return self._judge(where, moves, only_success=True).success

    def _judge(self, where: SqlEndings, moves: Moves, *, only_success: bool) -> Score:
        mine, path = where.play(moves)
        if mine is None:
            return Score(0.0, success=False, notes=("the database was broken",))
        ran = [text for text in path if text != mine.statement and _may_live_on(text)]
        best = self._score(self.task, where, mine, ran, only_success)
        for task in self.task.alternatives:
            if best.success:
                break
            best = max(best, self._score(task, where, mine, ran, only_success), key=lambda score: score.value)
        return best

    def _score(
        self, task: Task, where: SqlEndings, mine: SqlFinalState, ran: Sequence[str], only_success: bool
    ) -> Score:
        """By the first gold of *task* alone."""
        place = where.database, where.source, where.name
        gold = self._gold(task, where)
        touched = mine.state is not None or gold.state is not None
        before = self.golds.before(*place) if touched else {}
        ending = SqlEnding(task, mine, gold, before)
        return judge_exactly(self.golds, *place, ending, ran, only_success=only_success, subsets=self.subsets)[1]

    def _gold(self, task: Task, where: SqlEndings) -> SqlFinalState:
        """What the first gold of *task* leaves."""
        return self.golds.outcome(where.database, where.source, where.name, task.gold or "")


def _may_live_on(text: str) -> bool:
    return access_level(text) != "read" or first_word(text) == "use"


@dataclass(frozen=True)
class SqlCertifier:
    """Certifies tasks of *dataset*; golds play in the database *here* and, once more, *there*."""

    dataset: Dataset
    here: Database
    there: Database
    adversaries: Sequence[Adversary]
    shares: bool = True
    foresees: bool = True
    """Whether attempts are left out of which it is known before that they cannot score 1."""

    def certify(
        self, tasks: Iterator[tuple[int, Task]], done: Callable[[TaskVerdict], None]
    ) -> tuple[TaskVerdict, ...]:
        """Tasks over one database, each with its number in the whole; *done* hears of each.

        Raises:
            MachineError: If the database breaks.
        """
        first = next(tasks, None)
        if first is None:
            return ()
        place = self.dataset.source(first[1]), self.dataset.database(first[1])
        here, there = SqlEndings(self.here, *place), SqlEndings(self.there, *place)
        found = []
        with SubsetData(SqlGoldCache.of(self.here), *place) as subsets:
            for number, task in chain([first], tasks):
                try:
                    verdict = self._verdict(task, number, here, there, subsets)
                except MachineError as error:
                    verdict = TaskVerdict(task.id, error=f"{type(error).__name__}: {error}")
                found.append(verdict)
                done(verdict)
        return tuple(found)

    def _verdict(
        self, task: Task, number: int, here: SqlEndings, there: SqlEndings, subsets: SubsetData
    ) -> TaskVerdict:
        if task.gold is None:
            return TaskVerdict(task.id, ("gold: there is none",))
        judge = SqlTaskJudge(task, SqlGoldCache.of(self.here), foresees=self.foresees, subsets=subsets)
        return TaskRun(task, number, judge, here, there, self.adversaries, self.shares).verdict()


class SqlPool(BashPool):
    """The same for SQL tasks: what shares a database is one piece of work.

    Nobody helps: each would run for himself what is the same for all tasks, and most of the work is Python's, of which
    threads share one processor.
    """

    helps = False

    def _prepare(self, here: Env, there: Env) -> tuple[Certifier, list[Piece]]:
        assert isinstance(here, SqlEnv)
        assert isinstance(there, SqlEnv)
        certifier = SqlCertifier(here.dataset, here.database, there.database, self.adversaries, self.shares)
        dataset = here.dataset

        def stands_on(task: Task) -> str:
            return f"{dataset.source(task).path} {dataset.database(task)}"

        return certifier, pieces(self.job.tasks, stands_on)


def suits(job: Job) -> bool:
    """Whether the world's own `exact` judges all tasks of *job*, as `SqlCertifier` does."""
    with job.make_env() as env:
        is_plain = type(env) is SqlEnv and env._judge.reward is None
    return is_plain and job.scoring == "exact"
