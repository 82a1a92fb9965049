"""How an environment's episode is judged: by its world, and by a reward that was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from intercode.env.failures import LOST
from intercode.env.judging_copy import JudgingCopies, Places, Solution
from intercode.env.world import World
from intercode.errors import UserError
from intercode.rewards.base import EpisodeResult, FinalWorld, NoFiles
from intercode.rewards.core.file_endings import BashEnding
from intercode.rewards.core.judge import judge as judge_by
from intercode.rewards.core.judge import world_score
from intercode.types import Score, Scores, Turn
from intercode_sandbox.sandbox import Result, Session
from intercode_sandbox.util.naming import sandbox_name


@dataclass(frozen=True, slots=True)
class Judgement:
    """What rewards looked at, and their scores: None where nothing can be said of the task."""

    result: EpisodeResult
    scores: Scores | None = None


def judge(env: World, last: Turn | None = None) -> Judgement:
    """Judge the state as it stands, after the turn *last*, if that is not in the history yet.

    There are no scores for a task without a gold, unless a reward was chosen or the world needs none. Nothing of the
    agent's runs meanwhile.
    """
    with env.freeze():
        result = _result(env, last)
        scores = _world_scores(env, result)
        if env.chosen_reward is None:
            return Judgement(result, scores)
        changes = () if env.session is None else tuple(env.session.changes())
        result = replace(result, changes=changes, scores=scores, world=_world(env, result.ending))
        return Judgement(result, {**(scores or {}), env.reward_name: judge_by(env.chosen_reward, result)})


def failure(env: World) -> Scores | None:
    """Return the scores of an agent that has broken its session; None for a task that nothing judges."""
    names = [*(env.rewards if _has_scores(env) else ()), *([env.reward_name] if env.reward_name else [])]
    return dict.fromkeys(names, Score(0.0, False, notes=(LOST,))) or None


def _has_scores(env: World) -> bool:
    """Return whether the world itself judges the task."""
    return env.task.gold is not None or not env.needs_gold


def _result(env: World, last: Turn | None) -> EpisodeResult:
    """Return what the world's own rewards look at."""
    task, turns = env.task, (*env.history, *([last] if last else []))
    ending = env.ending(task) if _has_scores(env) else None
    others = () if ending is None else tuple(env.ending(each) for each in task.alternatives)
    return EpisodeResult(task, turns, env.answer, env.current_episode.handed_in, ending=ending, alternatives=others)


def _world_scores(env: World, result: EpisodeResult) -> Scores | None:
    if result.ending is None:
        return None
    return {name: world_score(name, reward, result) for name, reward in env.rewards.items()} or None


def _world(env: World, ending: object) -> FinalWorld:
    if env.session is None:
        return NoFiles()
    solution = Solution.of(ending.gold.exact.changes) if isinstance(ending, BashEnding) else None
    return _SessionWorld(env.judging_copies(solution=solution), env.session)


@dataclass(frozen=True, slots=True)
class _SessionWorld:
    """A session that an agent has left."""

    copies: JudgingCopies
    session: Session

    def read(self, path: str) -> bytes:
        return self.session.read(path, limit=self.session.limits.disk)

    def run(self, argv: Sequence[str], *, cwd: str = "/", stdin: bytes = b"", timeout: float | None = None) -> Result:
        if type(self.session).snapshot is Session.snapshot:
            raise UserError(f"{sandbox_name(self.copies.sandbox)} takes no snapshots: a reward can run nothing in it")
        with self.copies.copy(self.session, self.session.limits, Places.of([" ".join(argv)], cwd)) as copy:
            return copy.session.run(argv, cwd=cwd, stdin=stdin, timeout=timeout)
