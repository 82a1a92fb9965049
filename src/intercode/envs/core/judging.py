"""How an environment's episode is judged: by its world, and by a reward that was chosen.

A part of `Env`, in a file of its own: it knows what `Env` keeps to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from intercode import rewards
from intercode.datasets.base import Dataset
from intercode.envs.core.failures import LOST
from intercode.errors import SessionLostError, SnapshotError, UserError
from intercode.rewards.base import EpisodeResult, FinalWorld, NoFiles, Reward
from intercode.rewards.core.function import FunctionReward, RewardFunction, load
from intercode.rewards.core.judge import as_scores, judge
from intercode.sandboxes.base import Result, Sandbox, Session
from intercode.sandboxes.core.naming import sandbox_name
from intercode.types import SCORINGS, Score, Scores, Turn

if TYPE_CHECKING:
    from intercode.envs.base import Env


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges the episodes of an environment. Without a *reward* the world's own scores are all there is."""

    reward: Reward | None = None

    @classmethod
    def of(cls, reward: str | PathLike[str] | Reward | RewardFunction | None, dataset: Dataset) -> Judge:
        """By *reward*; where none was chosen by the data set's own, if it brings one.

        `exact` and `paper` are the world's, whatever the data set brings.

        Raises:
            UnknownNameError: If there is no such reward.
            BadDataError: If its file cannot be read.
            UserError: If it is neither a name, nor a function, nor a `Reward`.
        """
        if reward is None:
            return cls(None if dataset.reward_file is None else load(dataset.reward_file))
        if isinstance(reward, str | PathLike):
            return cls(None if reward in SCORINGS else rewards.find(reward))
        if isinstance(reward, Reward):
            return cls(reward)
        if isinstance(reward, type) or not callable(reward):
            raise UserError(
                f"a reward is a name, a file, a function of an EpisodeResult, or an object of a class of Reward, "
                f"not {reward!r:.80}"
            )
        return cls(FunctionReward(reward))

    def scores(self, env: Env, last: Turn | None = None) -> Scores | None:
        """Both scores of the state as it stands, after the turn *last*, if that is not in the history yet.

        None where nothing can be said: for a task without a gold, unless a reward was chosen or the world needs none.
        """
        scores, ending = _world_scores(env) if _has_scores(env) else (None, None)
        if self.reward is None:
            return scores
        turns = (*env.history, *([last] if last else []))
        changes = () if env.session is None else tuple(env.session.changes())
        result = EpisodeResult(env.task, turns, env.answer, env._handed_in, changes, ending, scores, _world(env))
        return judge(self.reward, result)

    def failure(self, env: Env) -> Scores | None:
        """The scores of an agent that has broken its session; None for a task that nothing judges."""
        if not _has_scores(env) and self.reward is None:
            return None
        return dict.fromkeys(SCORINGS, Score(0.0, False, notes=(LOST,)))


def _has_scores(env: Env) -> bool:
    """Whether the world itself judges the task."""
    return env.task.gold is not None or not env.needs_gold


def _world_scores(env: Env) -> tuple[Scores | None, object]:
    """The world's scores by the task's gold, `exact` by whichever of its alternatives fits best, and the ending."""
    env.ending = None
    scores, task = as_scores(env.score(), env.task.id), env.task
    ending = env.ending
    try:
        for env.task in task.alternatives:
            if scores is None or scores["exact"].success:
                break
            other = as_scores(env.score(), task.id)
            if other is not None and other["exact"].value > scores["exact"].value:
                scores = {**scores, "exact": other["exact"]}
    finally:
        env.task, env.ending = task, ending
    return scores, ending


def _world(env: Env) -> FinalWorld:
    return NoFiles() if env.session is None else _SessionWorld(env.sandbox, env.session, env.started_at)


@dataclass(frozen=True, slots=True)
class _SessionWorld:
    """A session that an agent has left."""

    sandbox: Sandbox
    session: Session
    started_at: float

    def read(self, path: str) -> bytes:
        return self.session.read(path, limit=self.session.limits.disk)

    def run(self, argv: Sequence[str], *, cwd: str = "/", stdin: bytes = b"", timeout: float | None = None) -> Result:
        if type(self.session).snapshot is Session.snapshot:
            raise UserError(f"{sandbox_name(self.sandbox)} takes no snapshots: a reward can run nothing in it")
        image, limits = self.session.image, self.session.limits.offline()
        try:
            with (
                self.session.snapshot() as files,
                self.sandbox.start(image, snapshot=files, started_at=self.started_at, limits=limits) as copy,
            ):
                return copy.run(argv, cwd=cwd, stdin=stdin, timeout=timeout)
        except SnapshotError as error:  # what the agent has left is in the way, and is no fault of the reward
            raise SessionLostError(f"no copy can be made of what the agent has left: {error}") from error
