"""What some episodes amount to: rates with their uncertainty, errors apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from intercode.conversation import Usage
from intercode.runs.report.statistics import Interval, bootstrap, mean_interval, pass_at, total_interval
from intercode.types import SCORINGS, Scoring, Trajectory, Turn

LEVELS = ("easy", "medium", "hard", "extra")
"""Difficulties in the order in which people expect them; others follow by name."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Some episodes of a run, taken together. What there is nothing to compute from is None.

    Intervals have 95 % confidence. They are Wilson's or, where tasks were played more than once, a bootstrap over
    tasks.

    Attributes:
        episodes: All episodes.
        errors: Episodes that the machine broke. They count nowhere else.
        unscored: Episodes on tasks without a gold.
        skipped: Episodes that the agent gave up. They count as no success, with a reward of 0.
        counted: Episodes that the rates are of.
        tasks: Tasks that these episodes are of.
        successes: Counted episodes that succeeded.
        rate: The share of successes.
        low: The lower end of the rate's interval.
        high: The upper end of the rate's interval.
        by_repeat: The success rate of each repeat, from the first.
        pass_at: pass@k by k: the chance that of k tries at a task one succeeds, over the tasks with at least k tries.
        pass_at_intervals: The intervals of `pass_at`.
        rewards: The mean reward under each scoring.
        reward_intervals: Their intervals; None where a file holds numbers that no reward has.
        turns: The mean number of turns of the episodes that ended.
        seconds: The mean time of the episodes that ended.
        actions: Actions that were run.
        failed_actions: Those that ended in an error.
        usage: The sum of what models used, in episodes with errors too.
    """

    episodes: int
    errors: int
    unscored: int
    skipped: int
    counted: int
    tasks: int
    successes: int
    rate: float | None
    low: float
    high: float
    by_repeat: tuple[float, ...]
    pass_at: Mapping[int, float]
    pass_at_intervals: Mapping[int, Interval]
    rewards: Mapping[Scoring, float | None]
    reward_intervals: Mapping[Scoring, Interval | None]
    turns: float | None
    seconds: float | None
    actions: int
    failed_actions: int
    usage: Usage

    @property
    def interval(self) -> Interval | None:
        """Where the true success rate lies; None where nothing was counted."""
        return Interval(self.low, self.high) if self.counted else None

    @property
    def action_errors(self) -> float | None:
        """The share of actions that ended in an error."""
        return self.failed_actions / self.actions if self.actions else None

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "by_repeat": list(self.by_repeat),
            "pass_at": {str(k): value for k, value in self.pass_at.items()},
            "pass_at_intervals": {str(k): found.to_json() for k, found in self.pass_at_intervals.items()},
            "rewards": dict(self.rewards),
            "reward_intervals": {name: found and found.to_json() for name, found in self.reward_intervals.items()},
            "action_errors": self.action_errors,
            "usage": {name: getattr(self.usage, name) for name in Usage.__slots__},
        }


def summarize(episodes: Sequence[Trajectory], scoring: Scoring, *, seed: int = 0) -> Summary:
    """Summarize *episodes*.

    Args:
        episodes: Of one run.
        scoring: What success is judged under; rewards are given under both.
        seed: The bootstrap's.
    """
    ended = [episode for episode in episodes if episode.status != "error"]
    counted = [episode for episode in ended if is_counted(episode)]
    successes = [bool(episode.success(scoring)) for episode in counted]
    rewards = {each: [episode.value(each) or 0.0 for episode in counted] for each in SCORINGS}
    clusters, chances = Clusters(counted), _chances(counted, scoring)
    interval = clusters.interval(successes, seed=seed)
    actions = [turn for episode in ended for turn in episode.turns if turn.action.kind == "execute"]
    return Summary(
        episodes=len(episodes),
        errors=len(episodes) - len(ended),
        unscored=len(ended) - len(counted),
        skipped=sum(episode.status == "skipped" for episode in ended),
        counted=len(counted),
        tasks=len({episode.task.id for episode in counted}),
        successes=sum(successes),
        rate=mean(successes),
        low=interval.low,
        high=interval.high,
        by_repeat=_by_repeat(counted, scoring),
        pass_at={k: sum(each) / len(each) for k, each in chances.items()},
        pass_at_intervals={k: mean_interval(each, seed=seed) for k, each in chances.items()},
        rewards={each: mean(values) for each, values in rewards.items()},
        reward_intervals={
            each: clusters.interval(values, seed=seed) if values and are_rewards(values) else None
            for each, values in rewards.items()
        },
        turns=mean([len(episode.turns) for episode in ended]),
        seconds=mean([episode.seconds for episode in ended]),
        actions=len(actions),
        failed_actions=sum(map(failed, actions)),
        usage=reduce(add, (episode.usage for episode in episodes), Usage()),
    )


def are_rewards(values: Iterable[float]) -> bool:
    """Whether all *values* lie where rewards do, from -1 to 1: a file may hold any number, and none at all."""
    return all(-1.0 <= value <= 1.0 for value in values)


def is_counted(episode: Trajectory) -> bool:
    """Whether *episode* counts for a rate: it was judged, or given up, and the machine did not break it.

    An episode on a task that is left out of scores does not count, given up or not.
    """
    if episode.status == "error" or episode.task.excluded:
        return False
    return episode.scores is not None or episode.status == "skipped"


def failed(turn: Turn) -> bool:
    """Whether its action ended in an error: an exit status other than 0, an error of the database, out of time."""
    return turn.observation.timed_out or turn.observation.exit_code not in (0, None)


class Clusters:
    """Episodes by their tasks: tries at one task are alike, and an interval must take that into account."""

    def __init__(self, episodes: Sequence[Trajectory]) -> None:
        numbers: dict[str, int] = {}
        self._places = [numbers.setdefault(episode.task.id, len(numbers)) for episode in episodes]
        counts = Counter(self._places)
        self._counts = [counts[number] for number in range(len(numbers))]

    def interval(self, values: Sequence[float], *, seed: int = 0) -> Interval:
        """Where the true mean of *values* lies.

        Where tasks were played more than once, whole tasks are resampled. Where all tasks agree that says nothing: then
        it is the wider Wilson interval over as many tasks.

        Args:
            values: One for each of the episodes, none above 1.
            seed: The bootstrap's.
        """
        if len(self._counts) == len(values):
            return mean_interval(values, seed=seed)
        sums = [0.0] * len(self._counts)
        for place, value in zip(self._places, values, strict=True):
            sums[place] += value
        drawn = bootstrap(sums, self._counts, seed=seed)
        return drawn or total_interval(sum(values) / len(values) * len(sums), len(sums))


def groups(episodes: Iterable[Trajectory], key: Callable[[Trajectory], str]) -> dict[str, list[Trajectory]]:
    """Group *episodes* by what *key* says, by difficulty and then by name; empty where *key* always says ""."""
    found: dict[str, list[Trajectory]] = defaultdict(list)
    for episode in episodes:
        found[key(episode)].append(episode)
    if set(found) <= {""}:
        return {}
    return {name or "none": found[name] for name in sorted(found, key=_rank)}


def by_difficulty(episodes: Iterable[Trajectory], scoring: Scoring, *, seed: int = 0) -> dict[str, Summary]:
    """A summary for each difficulty that occurs, from easy to hard; empty where tasks have none."""
    return _summaries(groups(episodes, lambda episode: episode.task.difficulty), scoring, seed)


def by_category(episodes: Iterable[Trajectory], scoring: Scoring, *, seed: int = 0) -> dict[str, Summary]:
    """A summary for each category that occurs, by name; empty where tasks have none."""
    return _summaries(groups(episodes, lambda episode: episode.task.category), scoring, seed)


def leading_first(scoring: Scoring) -> list[Scoring]:
    """All scorings in the order in which they are shown where *scoring* leads."""
    return sorted(SCORINGS, key=lambda each: each != scoring)


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return sum(values) / len(values) if values else None


def _summaries(found: Mapping[str, Sequence[Trajectory]], scoring: Scoring, seed: int) -> dict[str, Summary]:
    return {name: summarize(episodes, scoring, seed=seed) for name, episodes in found.items()}


def _by_repeat(counted: Sequence[Trajectory], scoring: Scoring) -> tuple[float, ...]:
    found: dict[int, list[bool]] = defaultdict(list)
    for episode in counted:
        found[episode.repeat].append(bool(episode.success(scoring)))
    return tuple(sum(found[repeat]) / len(found[repeat]) for repeat in sorted(found))


def _chances(counted: Sequence[Trajectory], scoring: Scoring) -> dict[int, list[float]]:
    """The chance of a success in k tries, for each task with as many: k is 1, 2, 4… and the most that there are.

    Empty where every task was played once.
    """
    tries = Counter(episode.task.id for episode in counted)
    successes = Counter(episode.task.id for episode in counted if episode.success(scoring))
    most = max(tries.values(), default=0)
    if most < 2:
        return {}
    return {
        k: [pass_at(k, count, successes[task]) for task, count in tries.items() if count >= k]
        for k in sorted({2**power for power in range(most.bit_length())} | {most})
    }


def _rank(level: str) -> tuple[int, str]:
    return (LEVELS.index(level) if level in LEVELS else len(LEVELS), level)
