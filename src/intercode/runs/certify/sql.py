"""The quick way to certify SQL tasks: what hackcheck and `TaskCertifier` play, judged by the environment's function.

What a statement shows depends on the database and on what ran before it, on no task. So an attempt that is the same for
all tasks over one database, as most of an adversary's are, is played once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from intercode.databases.base import Database, DatabaseSession, DatabaseSource
from intercode.databases.dialect.access_level import access_level
from intercode.databases.dialect.tokenizer import first_word
from intercode.datasets.base import Dataset
from intercode.envs.base import Env
from intercode.envs.sql.env import SqlEnv, observation
from intercode.envs.sql.gold_cache import SqlGoldCache, run_script
from intercode.envs.sql.judging import judge_exactly
from intercode.errors import DatabaseLostError, MachineError
from intercode.rewards.sql.final_state import SqlEnding, SqlFinalState
from intercode.runs.certify.pool import BashPool, Certifier, Piece, pieces
from intercode.runs.certify.task_run import TaskRun
from intercode.runs.certify.verdict import TaskVerdict
from intercode.runs.hackcheck.adversary import Adversary, Moves
from intercode.runs.job import Job
from intercode.types import Observation, Score, Task

Path = tuple[str, ...]
"""The actions of an attempt, from the first."""


@dataclass
class SqlEndings:
    """Plays attempts on the database *name* of *source*, by one thread; it remembers what they showed and left."""

    database: Database
    source: DatabaseSource
    name: str
    _seen: dict[Path, Observation] = field(default_factory=dict)
    _left: dict[Path, SqlFinalState | None] = field(default_factory=dict)

    def play(self, moves: Moves) -> tuple[SqlFinalState | None, Path]:
        """What *moves* leave, and the actions that they ran. None where they broke the database."""
        path: Path = ()
        action = next(moves, None)
        while action is not None and action.kind == "execute":
            path = (*path, action.text)
            if path not in self._seen:
                self._run(path)
            if path not in self._seen:
                return None, path
            try:
                action = moves.send(self._seen[path])
            except StopIteration:
                break
        if path not in self._left:
            self._run(path)
        return self._left[path], path

    def forget(self, text: str) -> None:
        """What the action *text* did alone."""
        self._seen.pop((text,), None)
        self._left.pop((text,), None)

    def _run(self, path: Path) -> None:
        """Run all of *path* in a session of its own; what it leaves is read where nothing follows."""
        left = SqlFinalState()
        try:
            with self.database.open(self.source, self.name) as session:
                for number, text in enumerate(path, 1):
                    left = run_script(session, text)
                    assert left.result is not None
                    self._seen[path[:number]] = observation(left.result)
                self._left[path] = _with_state(left, session)
        except DatabaseLostError:
            self._left[path] = None
            self._seen.pop(path, None)


def _with_state(left: SqlFinalState, session: DatabaseSession) -> SqlFinalState:
    return replace(left, state=session.state()) if session.changed() else left


@dataclass(frozen=True)
class SqlTaskJudge:
    """Judges attempts at *task* as the environment does."""

    task: Task
    golds: SqlGoldCache
    is_volatile: bool = False

    def score(self, where: SqlEndings, moves: Moves) -> Score:
        """What the ending of *moves* is worth."""
        mine, path = where.play(moves)
        if mine is None:
            return Score(0.0, success=False, notes=("the database was broken",))
        place = where.database, where.source, where.name
        gold = self.golds.outcome(*place, self.task.gold or "")
        touched = mine.state is not None or gold.state is not None
        before = self.golds.before(*place) if touched else {}
        ran = [text for text in path if text != mine.statement and _may_live_on(text)]
        return judge_exactly(self.golds, *place, SqlEnding(self.task, mine, gold, before), ran)[1]


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

    def certify(
        self, tasks: Sequence[tuple[int, Task]], done: Callable[[TaskVerdict], None]
    ) -> tuple[TaskVerdict, ...]:
        """Tasks over one database, each with its number in the whole; *done* hears of each. Raises MachineError."""
        first = tasks[0][1]
        place = self.dataset.source(first), self.dataset.database(first)
        here, there = SqlEndings(self.here, *place), SqlEndings(self.there, *place)
        found = []
        for number, task in tasks:
            try:
                verdict = self._verdict(task, number, here, there)
            except MachineError as error:
                verdict = TaskVerdict(task.id, error=f"{type(error).__name__}: {error}")
            found.append(verdict)
            done(verdict)
        return tuple(found)

    def _verdict(self, task: Task, number: int, here: SqlEndings, there: SqlEndings) -> TaskVerdict:
        if task.gold is None:
            return TaskVerdict(task.id, ("gold: there is none",))
        judge = SqlTaskJudge(task, SqlGoldCache.of(self.here))
        return TaskRun(task, number, judge, here, there, self.adversaries, self.shares).verdict()


class SqlPool(BashPool):
    """The same for SQL tasks: what shares a database is one piece of work."""

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
