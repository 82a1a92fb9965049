"""What a run amounts to: rates with their uncertainty, errors apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from intercode.runs.store import StoredRun
from intercode.types import SCORINGS, Scoring, Trajectory

Z = 1.959963984540054
"""The standard normal's quantile for 95 %."""

LEVELS = ("easy", "medium", "hard", "extra")
"""Difficulties in the order in which people expect them; others follow by name."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Some episodes of a run, taken together.

    `errors` are the machine's and count nowhere else; `unscored` were played on tasks without a gold. A `skipped`
    episode was given up: it counts as no success and as a reward of 0. `low` and `high` bound the success rate
    (Wilson's interval, 95 %). `turns` and `seconds` are means over the episodes that ended. What has nothing to be
    taken over is None.
    """

    episodes: int
    errors: int
    unscored: int
    skipped: int
    counted: int
    successes: int
    rate: float | None
    low: float
    high: float
    rewards: Mapping[Scoring, float | None]
    turns: float | None
    seconds: float | None

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        return {name: getattr(self, name) for name in self.__slots__} | {"rewards": dict(self.rewards)}


def summarize(episodes: Sequence[Trajectory], scoring: Scoring) -> Summary:
    """The summary of *episodes*; success is judged under *scoring*, rewards are given under both."""
    ended = [episode for episode in episodes if episode.status != "error"]
    counted = [episode for episode in ended if episode.scores is not None or episode.status == "skipped"]
    successes = sum(bool(episode.success(scoring)) for episode in counted)
    low, high = wilson(successes, len(counted))
    return Summary(
        episodes=len(episodes),
        errors=len(episodes) - len(ended),
        unscored=len(ended) - len(counted),
        skipped=sum(episode.status == "skipped" for episode in ended),
        counted=len(counted),
        successes=successes,
        rate=successes / len(counted) if counted else None,
        low=low,
        high=high,
        rewards={each: _mean([episode.value(each) or 0.0 for episode in counted]) for each in SCORINGS},
        turns=_mean([len(episode.turns) for episode in ended]),
        seconds=_mean([episode.seconds for episode in ended]),
    )


def by_difficulty(episodes: Iterable[Trajectory], scoring: Scoring) -> dict[str, Summary]:
    """A summary for each difficulty that occurs, from easy to hard; empty where tasks have none."""
    groups: dict[str, list[Trajectory]] = defaultdict(list)
    for episode in episodes:
        groups[episode.task.difficulty].append(episode)
    if set(groups) <= {""}:
        return {}
    return {level or "none": summarize(groups[level], scoring) for level in sorted(groups, key=_rank)}


def wilson(successes: int, trials: int, z: float = Z) -> tuple[float, float]:
    """The interval that holds the true rate with the confidence of *z*; (0, 1) without trials.

    E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927).
    """
    if not trials:
        return 0.0, 1.0
    rate, share = successes / trials, z * z / trials
    centre = rate + share / 2
    spread = z * sqrt(rate * (1 - rate) / trials + share / (4 * trials))
    return max(0.0, (centre - spread) / (1 + share)), min(1.0, (centre + spread) / (1 + share))


def to_json(run: StoredRun) -> dict[str, Any]:
    """A run's figures, for machines: what it was, how far it is, and its summaries."""
    scoring = run.manifest.settings.scoring or "exact"
    return {
        "run": str(run.path),
        "settings": run.manifest.settings.to_json(),
        "scoring": scoring,
        "reproducible": run.manifest.reproducible,
        "isolated": run.manifest.isolated,
        "planned": run.manifest.episodes,
        "missing": run.missing,
        "summary": summarize(run.episodes, scoring).to_json(),
        "by_difficulty": {name: each.to_json() for name, each in by_difficulty(run.episodes, scoring).items()},
        "episodes": [_line(episode) for episode in run.episodes],
    }


def _line(episode: Trajectory) -> dict[str, Any]:
    return {
        "task": episode.task.id,
        "repeat": episode.repeat,
        "status": episode.status,
        "rewards": {scoring: episode.value(scoring) for scoring in SCORINGS},
        "success": {scoring: episode.success(scoring) for scoring in SCORINGS},
        "turns": len(episode.turns),
        "seconds": episode.seconds,
        "error": episode.error,
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _rank(level: str) -> tuple[int, str]:
    return (LEVELS.index(level) if level in LEVELS else len(LEVELS), level)
