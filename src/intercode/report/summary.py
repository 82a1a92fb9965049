"""What some episodes amount to: rates with their uncertainty, errors apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

from intercode.report.statistics import Interval, bootstrap, mean_interval, pass_at, total_interval
from intercode.report.turn_counts import TurnCounts
from intercode.runs.store import StoredRun
from intercode.types import Score, Trajectory, shown_rewards
from intercode.types.conversation import Usage
from intercode.types.validation import LATEST

LEVELS = ("easy", "medium", "hard", "extra")
"""Difficulties in the order in which people expect them; others follow by name."""


SHORTEST = 0.001
"""Seconds below which nobody was asked, and there is no speed."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Some episodes of a run, taken together. What there is nothing to compute from is None.

    Intervals have 95 % confidence. They are Wilson's or, where tasks were played more than once, a bootstrap over
    tasks.

    Attributes:
        episodes: All episodes.
        errors: Episodes that the machine broke. They count nowhere else, unless they were made failures.
        refused: Episodes that the model's provider refused. So do they.
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
        rewards: The mean under each reward that is shown; None for one that has judged nothing.
        reward_intervals: Their intervals; None where a file holds numbers that no reward has.
        turns: The mean number of turns of the episodes that ended.
        seconds: The mean time of the episodes that ended.
        counts: What the turns of the episodes that ended were.
        reply_seconds: How long models took for replies that came from no cache.
        usage: The sum of what models used, in episodes with errors too.
    """

    episodes: int
    errors: int
    refused: int
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
    rewards: Mapping[str, float | None]
    reward_intervals: Mapping[str, Interval | None]
    turns: float | None
    seconds: float | None
    counts: TurnCounts
    reply_seconds: float
    usage: Usage

    @property
    def interval(self) -> Interval | None:
        """Return where the true success rate lies; None where nothing was counted."""
        return Interval(self.low, self.high) if self.counted else None

    @property
    def action_errors(self) -> float | None:
        """The share of actions that ended in an error."""
        return self.counts.errors / self.counts.actions if self.counts.actions else None

    def share_of_turns(self, count: int) -> float | None:
        """Return *count* as a share of the turns that are code or should have been."""
        return count / self.counts.turns if self.counts.turns else None

    @property
    def tokens_per_second(self) -> float | None:
        """Return how many tokens models wrote in a second of answering; None where that is not known."""
        if self.reply_seconds < SHORTEST or self.usage.from_cache:
            return None
        return self.usage.completion_tokens / self.reply_seconds

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "by_repeat": list(self.by_repeat),
            "pass_at": {str(k): value for k, value in self.pass_at.items()},
            "pass_at_intervals": {str(k): found.to_json() for k, found in self.pass_at_intervals.items()},
            "rewards": dict(self.rewards),
            "reward_intervals": {name: found and found.to_json() for name, found in self.reward_intervals.items()},
            "counts": {name: getattr(self.counts, name) for name in TurnCounts.__slots__},
            "actions": self.counts.actions,
            "failed_actions": self.counts.errors,
            "action_errors": self.action_errors,
            "tokens_per_second": self.tokens_per_second,
            "usage": {name: getattr(self.usage, name) for name in Usage.__slots__},
        }


def summarize(episodes: Sequence[Trajectory], scoring: str, *, seed: int = 0) -> Summary:
    """Summarize *episodes*.

    Args:
        episodes: Of one run.
        scoring: The reward that says what a success is.
        seed: The bootstrap's.
    """
    ended = [episode for episode in episodes if episode.is_complete]
    counted = [episode for episode in episodes if is_counted(episode)]
    successes = [bool(episode.success(scoring)) for episode in counted]
    rewards = {each: _values(counted, each) for each in shown_rewards(scoring)}
    clusters, chances = Clusters(counted), _chances(counted, scoring)
    interval = clusters.interval(successes, seed=seed)
    return Summary(
        episodes=len(episodes),
        errors=sum(episode.status == "error" for episode in episodes),
        refused=sum(episode.status == "refused" for episode in episodes),
        unscored=sum(not is_counted(episode) for episode in ended),
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
        counts=TurnCounts.of(ended),
        reply_seconds=sum(reply_seconds(episode) for episode in episodes),
        usage=reduce(add, (episode.usage for episode in episodes), Usage()),
    )


def _values(counted: Sequence[Trajectory], reward: str) -> list[float]:
    """Return what each episode is worth to *reward*; nothing at all if it has judged none of them."""
    values = [episode.value(reward) for episode in counted]
    given_up = [episode.status == "skipped" for episode in counted]
    return [value or 0.0 for value in values] if values.count(None) <= sum(given_up) or any(values) else []


def are_rewards(values: Iterable[float]) -> bool:
    """Return whether all *values* lie where rewards do, from -1 to 1: a file may hold any number, and none at all."""
    return all(-1.0 <= value <= 1.0 for value in values)


def is_counted(episode: Trajectory) -> bool:
    """Return whether *episode* counts for a rate: it was judged, or given up.

    An episode on a task that is left out of scores does not count, given up or not. One that the machine broke, or that
    a provider refused, has no scores, unless `as_failure` gave it some.
    """
    return not episode.task.excluded and (episode.scores is not None or episode.status == "skipped")


def as_failure(episode: Trajectory, leading: str) -> Trajectory:
    """Return *episode* with rewards of 0, *leading* among them, where it has no end of its own.

    For who wants errors counted as failures.
    """
    if episode.is_complete:
        return episode
    nothing = Score(0.0, success=False, notes=(episode.error,))
    return replace(episode, scores=dict.fromkeys(shown_rewards(leading), nothing))


def with_errors_as_failures(run: StoredRun) -> StoredRun:
    """Return *run* with every episode made a failure that was refused or ended in an error; see `as_failure`."""
    leading = run.manifest.leading_reward
    return replace(run, episodes=tuple(as_failure(episode, leading) for episode in run.episodes))


def reply_seconds(episode: Trajectory) -> float:
    """Return how long models took for all replies in *episode*."""
    found = (call.reply.seconds for turn in episode.turns for call in turn.calls)
    return sum(seconds for seconds in found if 0.0 <= seconds <= LATEST)  # a file may hold any number


class Clusters:
    """Episodes by their tasks: tries at one task are alike, and an interval must take that into account."""

    def __init__(self, episodes: Sequence[Trajectory]) -> None:
        numbers: dict[str, int] = {}
        self._places = [numbers.setdefault(episode.task.id, len(numbers)) for episode in episodes]
        counts = Counter(self._places)
        self._counts = [counts[number] for number in range(len(numbers))]

    def interval(self, values: Sequence[float], *, seed: int = 0) -> Interval:
        """Return where the true mean of *values* lies.

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


def by_difficulty(episodes: Iterable[Trajectory], scoring: str, *, seed: int = 0) -> dict[str, Summary]:
    """Return a summary for each difficulty that occurs, from easy to hard; empty where tasks have none."""
    return _summaries(groups(episodes, lambda episode: episode.task.difficulty), scoring, seed)


def by_category(episodes: Iterable[Trajectory], scoring: str, *, seed: int = 0) -> dict[str, Summary]:
    """Return a summary for each category that occurs, by name; empty where tasks have none."""
    return _summaries(groups(episodes, lambda episode: episode.task.category), scoring, seed)


def mean(values: Sequence[float]) -> float | None:
    """Return the mean; None of nothing."""
    return sum(values) / len(values) if values else None


def _summaries(found: Mapping[str, Sequence[Trajectory]], scoring: str, seed: int) -> dict[str, Summary]:
    return {name: summarize(episodes, scoring, seed=seed) for name, episodes in found.items()}


def _by_repeat(counted: Sequence[Trajectory], scoring: str) -> tuple[float, ...]:
    found: dict[int, list[bool]] = defaultdict(list)
    for episode in counted:
        found[episode.repeat].append(bool(episode.success(scoring)))
    return tuple(sum(found[repeat]) / len(found[repeat]) for repeat in sorted(found))


def _chances(counted: Sequence[Trajectory], scoring: str) -> dict[int, list[float]]:
    """Return the chance of a success in k tries, for each task with as many: k is 1, 2, 4… and the most that there are.

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
