"""What the gold and the adversaries earned, and whether any adversary was paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from intercode.runs.hackcheck.gold_lint import GoldWarning
from intercode.types import SCORINGS, Scores, Scoring, scores_as_dict


@dataclass(frozen=True, slots=True)
class AdversaryScore:
    """What one player got for one episode; no `scores` where it was not judged, for the reason in `error`.

    `guesses`: see `Adversary`. Where an adversary made several `attempts` this is the best of them, which is told in
    `about`. `is_right`: it is paid, but ends as the gold does, so that the reward is right to pay.
    """

    name: str
    scores: Scores | None
    error: str = ""
    guesses: bool = False
    attempts: int = 1
    about: str = ""
    is_right: bool = False
    reward_failures: tuple[str, ...] = ()
    """How often, and by what, the tasks' own reward failed: each time what was tried, and what the reward raised."""

    def value(self, scoring: Scoring) -> float:
        """The reward; 0 where nothing was judged."""
        return 0.0 if self.scores is None else self.scores[scoring].value

    def succeeds(self, scoring: Scoring) -> bool:
        """Whether it passes for having met the request."""
        return self.scores is not None and self.scores[scoring].success


@dataclass(frozen=True, slots=True)
class TaskCheck:
    """One task: what its gold earned each time that it was played, and what each adversary did.

    `scoring` is the one that counts, and `allowed` what an adversary may earn, as partly right answers do in rewards
    that pay for them. `warnings` are hints to read a gold; they count for nothing.
    """

    task: str
    gold: tuple[AdversaryScore, ...]
    adversaries: tuple[AdversaryScore, ...]
    scoring: Scoring = "exact"
    allowed: float = 0.0
    warnings: tuple[GoldWarning, ...] = ()
    shares: bool = False
    """Whether it had only its share of the generic attempts."""

    def gold_is_right(self, scoring: Scoring) -> bool:
        """Whether the gold succeeds every time, or there is none."""
        return all(each.succeeds(scoring) for each in self.gold)

    def why_gold_is_wrong(self, scoring: Scoring) -> str:
        """What the judge says to the first time that it does not succeed; "" where it always does."""
        wrong = next((each for each in self.gold if not each.succeeds(scoring)), None)
        if wrong is None:
            return ""
        notes = () if wrong.scores is None else wrong.scores[scoring].notes
        said = wrong.error or "; ".join([*wrong.reward_failures[:1], *notes[-1:]])
        return said or f"{wrong.name} earns {wrong.value(scoring):.2f}"

    def paid(self, scoring: Scoring) -> tuple[AdversaryScore, ...]:
        """The adversaries that got more than they may: *allowed*, or, where they guess, all but a success."""
        return tuple(
            each
            for each in self.adversaries
            if not each.is_right and (each.succeeds(scoring) if each.guesses else each.value(scoring) > self.allowed)
        )

    @property
    def is_judged(self) -> bool:
        """Whether anything judges it: not a task without a gold, unless its data set brings a reward of its own."""
        return any(each.scores is not None or each.reward_failures for each in (*self.gold, *self.adversaries))

    def is_usable(self, scoring: Scoring) -> bool:
        """Whether it can be solved for sure: it is judged, and the gold, if there is one, succeeds each time."""
        return self.is_judged and self.gold_is_right(scoring)

    def passes(self, scoring: Scoring) -> bool:
        """It is usable, and no adversary that was tried is paid: others might be."""
        return self.is_usable(scoring) and not self.paid(scoring) and not (self.error or self.reward_failures)

    @property
    def reward_failures(self) -> tuple[tuple[str, str], ...]:
        """Who made the tasks' own reward fail, and how."""
        return tuple((each.name, how) for each in (*self.gold, *self.adversaries) for how in each.reward_failures)

    @property
    def is_good(self) -> bool:
        """Whether it passes under the scoring that counts."""
        return self.passes(self.scoring)

    @property
    def attempts(self) -> int:
        """How many episodes the adversaries played."""
        return sum(each.attempts for each in self.adversaries)

    @property
    def error(self) -> str:
        """The first failure of the machine, "" where there was none."""
        return next((f"{each.name}: {each.error}" for each in (*self.gold, *self.adversaries) if each.error), "")


@dataclass(frozen=True, slots=True)
class AdversarySummary:
    """What one adversary earned over all tasks: how often anything, how often all, on average and at most.

    `attempts` are the episodes that it played.
    """

    name: str
    tasks: int
    attempts: int
    paid: int
    successes: int
    mean: float
    most: float
    most_at: str


def summarize(name: str, checks: Sequence[TaskCheck], scoring: Scoring) -> AdversarySummary:
    """The *checks* of one adversary under one scoring."""
    found = {check.task: each for check in checks for each in check.adversaries if each.name == name}
    values = {task: each.value(scoring) for task, each in found.items()}
    most_at = max(values, key=lambda task: values[task], default="")
    return AdversarySummary(
        name=name,
        tasks=len(values),
        attempts=sum(each.attempts for each in found.values()),
        paid=sum(value > 0 for value in values.values()),
        successes=sum(each.succeeds(scoring) for each in found.values()),
        mean=fmean(values.values()) if values else 0.0,
        most=values.get(most_at, 0.0),
        most_at=most_at,
    )


def to_json(checks: Sequence[TaskCheck], names: Sequence[str], scoring: Scoring) -> dict[str, Any]:
    """All of it for programs."""
    return {
        "scoring": scoring,
        "passes": all(check.passes(scoring) for check in checks),
        "no_adversary_paid": not any(check.paid(scoring) for check in checks),
        "adversaries_tried": len(names),
        "attempts": sum(check.attempts for check in checks),
        "pays_adversaries": [check.task for check in checks if check.paid(scoring)],
        "wrong_golds": [check.task for check in checks if not check.gold_is_right(scoring)],
        "gold_warnings": [asdict(warning) for check in checks for warning in check.warnings],
        "reward_failures": [
            {"task": check.task, "name": name, "failure": how}
            for check in checks
            for name, how in check.reward_failures
        ],
        "every_guess": not any(check.shares for check in checks),
        "not_judged": [check.task for check in checks if not check.is_judged],
        "adversaries": {each: {name: _plain(summarize(name, checks, each)) for name in names} for each in SCORINGS},
        "tasks": [_task(check, scoring) for check in checks],
    }


def _plain(summary: AdversarySummary) -> dict[str, Any]:
    return {name: getattr(summary, name) for name in AdversarySummary.__slots__ if name != "name"}


def _task(check: TaskCheck, scoring: Scoring) -> dict[str, Any]:
    return {
        "task": check.task,
        "passes": check.passes(scoring),
        "attempts": check.attempts,
        "gold": [_score_to_json(each) for each in check.gold],
        "adversaries": [_score_to_json(each) for each in check.adversaries],
    }


def _score_to_json(earning: AdversaryScore) -> dict[str, Any]:
    scores = scores_as_dict(earning.scores)
    return {
        "name": earning.name,
        "guesses": earning.guesses,
        "attempts": earning.attempts,
        "best": earning.about,
        "ends_as_the_gold": earning.is_right,
        "scores": scores,
        "error": earning.error,
    }
