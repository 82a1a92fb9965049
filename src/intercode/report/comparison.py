"""Two runs on the same tasks: how far they differ, and whether that can be chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from intercode.errors import UserError
from intercode.report.paired import Verdict, judge
from intercode.report.statistics import Interval, mean_interval
from intercode.report.summary import is_counted
from intercode.runs.store import StoredRun
from intercode.types import Trajectory

NAMED = 3
"""How many images of a run are named; in some worlds every task has its own."""


@dataclass(frozen=True, slots=True)
class PairedScores:
    """One task in both runs: the success rate and the mean reward of its tries in each."""

    task: str
    rates: tuple[float, float]
    rewards: tuple[float, float]

    @property
    def verdict(self) -> Literal["won", "lost", "same"]:
        """Return how the second run fares against the first."""
        before, after = self.rates
        return "same" if before == after else "won" if after > before else "lost"


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The second run against the first, on the tasks that count in both.

    Each pair is of the first and the second run. Intervals have 95 % confidence.

    Attributes:
        pairs: Each task in both runs.
        rates: The success rates.
        intervals: Where the true success rates lie.
        rewards: The mean rewards.
        reward_intervals: Where the true mean rewards lie.
        difference: The second success rate less the first.
        verdict: Where the true difference lies, and how likely such a one is if there is none.
        left_out: Tasks that count in only one of the runs.
        warning: Says that the runs were on different images; "" where they were not.
    """

    pairs: tuple[PairedScores, ...]
    rates: tuple[float, float]
    intervals: tuple[Interval, Interval]
    rewards: tuple[float, float]
    reward_intervals: tuple[Interval, Interval]
    difference: float
    verdict: Verdict
    left_out: tuple[str, ...]
    warning: str = ""

    def tasks(self, verdict: Literal["won", "lost", "same"]) -> list[str]:
        """Return the tasks with that *verdict*, in the order of the first run."""
        return [pair.task for pair in self.pairs if pair.verdict == verdict]

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries and lists."""
        return {
            "tasks": len(self.pairs),
            "rates": list(self.rates),
            "intervals": [each.to_json() for each in self.intervals],
            "rewards": list(self.rewards),
            "reward_intervals": [each.to_json() for each in self.reward_intervals],
            "difference": self.difference,
            "low": self.verdict.interval.low,
            "high": self.verdict.interval.high,
            "p": self.verdict.p,
            "procedure": self.verdict.procedure,
            "won": self.tasks("won"),
            "lost": self.tasks("lost"),
            "left_out": list(self.left_out),
            "warning": self.warning,
        }


def compare_runs(first: StoredRun, second: StoredRun, scoring: str, *, seed: int = 0) -> RunComparison:
    """Compare two runs.

    Args:
        first: The run to compare with.
        second: The run to judge.
        scoring: What success is judged under.
        seed: Of the bootstrap over tasks, which gives the intervals of mean rewards, and those of success rates where
            tasks were played more than once.

    Raises:
        UserError: If they have no judged task in common.
    """
    before, after = _by_task(first), _by_task(second)
    pairs = tuple(_pairing(task, before[task], after[task], scoring) for task in before if task in after)
    if not pairs:
        raise UserError(f"{first.path} and {second.path} have no judged task in common: there is nothing to compare")
    differences = [pair.rates[1] - pair.rates[0] for pair in pairs]
    rates = [pair.rates[0] for pair in pairs], [pair.rates[1] for pair in pairs]
    rewards = [pair.rewards[0] for pair in pairs], [pair.rewards[1] for pair in pairs]
    return RunComparison(
        pairs=pairs,
        rates=(_mean(rates[0]), _mean(rates[1])),
        intervals=(mean_interval(rates[0], seed=seed), mean_interval(rates[1], seed=seed)),
        rewards=(_mean(rewards[0]), _mean(rewards[1])),
        reward_intervals=(mean_interval(rewards[0], seed=seed), mean_interval(rewards[1], seed=seed)),
        difference=_mean(differences),
        verdict=judge(differences),
        left_out=tuple(sorted(before.keys() ^ after.keys())),
        warning=_warning(first, second, [(before[pair.task], after[pair.task]) for pair in pairs]),
    )


def _warning(first: StoredRun, second: StoredRun, tries: Sequence[tuple[list[Trajectory], list[Trajectory]]]) -> str:
    """Return what to say where *tries* at a task, of both runs, were not all played on one image."""
    if all(len({each.image for each in (*before, *after)}) == 1 for before, after in tries):
        return ""
    images = [sorted({each.image for pair in tries for each in pair[side]}) for side in (0, 1)]
    places = ", ".join(f"{run.path} on {_join_images(each)}" for run, each in zip((first, second), images, strict=True))
    return f"the same tasks were played on different images, and a difference may be theirs: {places}"


def _join_images(images: Sequence[str]) -> str:
    more = f" and {len(images) - NAMED} more" if len(images) > NAMED else ""
    return ", ".join(images[:NAMED]) + more


def _by_task(run: StoredRun) -> Mapping[str, list[Trajectory]]:
    found: dict[str, list[Trajectory]] = {}
    for episode in run.episodes:
        if is_counted(episode):
            found.setdefault(episode.task.id, []).append(episode)
    return {task: found[task] for task in (*run.manifest.tasks, *found) if task in found}


def _pairing(task: str, before: list[Trajectory], after: list[Trajectory], scoring: str) -> PairedScores:
    return PairedScores(
        task,
        (_rate(before, scoring), _rate(after, scoring)),
        (_reward(before, scoring), _reward(after, scoring)),
    )


def _rate(tries: list[Trajectory], scoring: str) -> float:
    return _mean([bool(episode.success(scoring)) for episode in tries])


def _reward(tries: list[Trajectory], scoring: str) -> float:
    return _mean([episode.value(scoring) or 0.0 for episode in tries])


def _mean(values: list[float] | list[bool]) -> float:
    return sum(values) / len(values)
