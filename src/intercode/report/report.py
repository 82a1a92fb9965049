"""A run's report: its figures as values. `sheets` lays them out, displays draw them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from intercode.report.cheating import Cheating, cheating
from intercode.report.run_names import run_names
from intercode.report.summary import Summary, by_category, by_difficulty, summarize
from intercode.report.turns import ByTurn, by_turn
from intercode.runs.store import StoredRun
from intercode.types import Trajectory, shown_rewards


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of one run.

    `kinds` counts errors of the machine by their class; `cheating` is of tasks with traps.
    """

    name: str
    run: StoredRun
    scoring: str
    summary: Summary
    by_difficulty: Mapping[str, Summary]
    by_category: Mapping[str, Summary]
    by_turn: tuple[ByTurn, ...]
    kinds: Mapping[str, int]
    cheating: tuple[Cheating, ...] = ()

    @property
    def dataset(self) -> str:
        """Return the data set that was played, with its split where one was chosen."""
        settings = self.run.manifest.settings
        options = ", ".join(f"{name}={value}" for name, value in sorted(settings.dataset_options.items()))
        return f"{settings.dataset} ({options})" if options else settings.dataset

    @property
    def baseline(self) -> str:
        """Return what its agent shows besides itself: `golds`, or `does nothing`; "" for an agent that is measured."""
        if self.run.manifest.settings.agent == "oracle":
            return "golds"
        return "does nothing" if self.summary.counted and not self.summary.counts.turns else ""

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries and lists."""
        settings = self.run.manifest.settings
        return {
            "run": str(self.run.path),
            "settings": settings.to_json(),
            "baseline": self.baseline,
            "scoring": self.scoring,
            "reward": self.run.manifest.reward,
            "reproducible": self.run.manifest.reproducible,
            "isolated": self.run.manifest.isolated,
            "former_images": {name: list(each) for name, each in self.run.manifest.former_images.items()},
            "planned": self.run.manifest.episodes,
            "missing": self.run.missing,
            "left_out": self.run.left_out,
            "summary": self.summary.to_json(),
            "by_difficulty": {name: each.to_json() for name, each in self.by_difficulty.items()},
            "by_category": {name: each.to_json() for name, each in self.by_category.items()},
            "by_turn": [each.to_json() for each in self.by_turn],
            "errors": dict(self.kinds),
            "cheating": [each.to_json() for each in self.cheating],
        }


def reports(runs: Sequence[StoredRun], scoring: str | None = None, *, seed: int = 0) -> list[Report]:
    """Return the report on each of *runs*, called so that they can be told apart."""
    called = run_names([run.path for run in runs])
    return [replace(report(run, scoring, seed=seed), name=name) for run, name in zip(runs, called, strict=True)]


def report(run: StoredRun, scoring: str | None = None, *, seed: int = 0) -> Report:
    """Return the report on *run* under *scoring* (None: the one that it was played under).

    *seed* is the bootstrap's.
    """
    scoring = scoring or run.manifest.leading_reward
    return Report(
        name=run.path.resolve().name,
        run=run,
        scoring=scoring,
        summary=summarize(run.episodes, scoring, seed=seed),
        by_difficulty=by_difficulty(run.episodes, scoring, seed=seed),
        by_category=by_category(run.episodes, scoring, seed=seed),
        by_turn=by_turn(run.episodes, scoring, seed=seed),
        kinds=Counter(kind(episode.error) for episode in run.episodes if episode.status == "error"),
        cheating=cheating(run.episodes, seed=seed),
    )


def kind(error: str) -> str:
    """Return the class of an episode's error, which says what broke."""
    return error.partition(":")[0]


def to_json(run: StoredRun) -> dict[str, Any]:
    """Return a run's figures and a line for each of its episodes, for machines."""
    return report(run).to_json() | {
        "episodes": [_line(episode, run.manifest.leading_reward) for episode in run.episodes]
    }


def _line(episode: Trajectory, leading: str) -> dict[str, Any]:
    return {
        "task": episode.task.id,
        "repeat": episode.repeat,
        "status": episode.status,
        "rewards": {scoring: episode.value(scoring) for scoring in shown_rewards(leading)},
        "success": {scoring: episode.success(scoring) for scoring in shown_rewards(leading)},
        "turns": len(episode.turns),
        "seconds": episode.seconds,
        "error": episode.error,
    }
