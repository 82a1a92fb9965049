"""What one adversary earned over all tasks, and all of a report for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from intercode.adversaries.hole_classes import class_of
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.verdict import AdversaryScore, Hole, TaskCheck
from intercode.types import scores_as_dict

FIGURES = ("paid", "right", "partly", "mean", "most")
"""What tables tell of each adversary: tasks that pay it, tasks that it guessed, tasks that pay it a part, how much."""


@dataclass(frozen=True, slots=True)
class AdversarySummary:
    """What one adversary earned over all tasks.

    Attributes:
        name: Its name.
        tasks: On how many it played.
        attempts: The episodes that it played.
        paid: The tasks that pay it though they should not.
        right: The tasks that it solved by a guess that was right.
        partly: The tasks that pay it for a part that it guessed, or no more than is allowed.
        successes: The tasks on which it succeeded, rightly or not.
        mean: What it earned on average.
        most: What it earned at most.
        most_at: The task where that was.
    """

    name: str
    tasks: int
    attempts: int
    paid: int
    right: int
    partly: int
    successes: int
    mean: float
    most: float
    most_at: str


def summarize(name: str, checks: Sequence[TaskCheck], scoring: str) -> AdversarySummary:
    """Return the *checks* of one adversary under one scoring."""
    found = [(check, each) for check in checks for each in check.adversaries if each.name == name]
    values = {check.task: each.value(scoring) for check, each in found}
    most_at = max(values, key=lambda task: values[task], default="")
    paid = [each.is_paid(scoring, check.allowed) for check, each in found]
    right = [each.is_right and each.succeeds(scoring) for _, each in found]
    earned = [value > 0 for value in values.values()]
    return AdversarySummary(
        name=name,
        tasks=len(values),
        attempts=sum(each.attempts for _, each in found),
        paid=sum(paid),
        right=sum(right),
        partly=sum(each and not (a or b) for each, a, b in zip(earned, paid, right, strict=True)),
        successes=sum(each.succeeds(scoring) for _, each in found),
        mean=fmean(values.values()) if values else 0.0,
        most=values.get(most_at, 0.0),
        most_at=most_at,
    )


def to_json(report: HackcheckReport) -> dict[str, Any]:
    """Return all of *report* for programs."""
    checks, scoring, names = report.checks, report.scoring, [each.name for each in report.adversaries]
    return {
        "verdict": report.outcome,
        "sentence": report.sentence,
        "scoring": scoring,
        "passes": len(checks) == report.tasks and all(check.passes(scoring) for check in checks),
        "no_adversary_paid": not any(check.paid(scoring) for check in checks),
        "adversaries_tried": len(names),
        "attempts": sum(check.attempts for check in checks),
        "holes": [hole_to_json(check.task, hole) for check in checks for hole in check.holes],
        "guessed": [
            {"task": check.task, "adversary": each.name, "attempts": each.attempts, "right": each.right}
            for check, each in report.lucky()
        ],
        "pays_adversaries": [check.task for check in checks if check.paid(scoring)],
        "wrong_golds": [check.task for check in checks if not check.gold_is_right(scoring)],
        "unsteady_golds": report.unsteady(),
        "nothing_earns": report.not_paying(),
        "gold_warnings": [asdict(warning) for check in checks for warning in check.warnings],
        "reward_failures": [
            {"task": check.task, "name": name, "failure": how}
            for check in checks
            for name, how in check.reward_failures
        ],
        "every_guess": not any(check.shares for check in checks),
        "not_judged": [check.task for check in checks if not check.is_judged],
        "adversaries": {
            each: {name: _plain(summarize(name, checks, each)) for name in names} for each in report.scorings
        },
        "tasks": [_task(check, scoring) for check in checks],
    }


def hole_to_json(task: str, hole: Hole) -> dict[str, Any]:
    """Return one *hole* of *task* for programs."""
    return {
        "task": task,
        "class": hole.kind.name,
        "adversary": hole.adversary,
        "attempt": hole.about,
        "earns": hole.value,
        "moves": [str(action) for action in hole.moves],
        "why": hole.why,
        "mistake": hole.kind.mistake,
        "remedy": hole.kind.remedy,
        "others": hole.others,
    }


def _plain(summary: AdversarySummary) -> dict[str, Any]:
    return {name: getattr(summary, name) for name in AdversarySummary.__slots__ if name != "name"}


def _task(check: TaskCheck, scoring: str) -> dict[str, Any]:
    return {
        "task": check.task,
        "passes": check.passes(scoring),
        "attempts": check.attempts,
        "skipped": list(check.skipped),
        "gold": [_score_to_json(each) for each in check.gold],
        "adversaries": [_score_to_json(each) for each in check.adversaries],
    }


def _score_to_json(earning: AdversaryScore) -> dict[str, Any]:
    scores = scores_as_dict(earning.scores)
    return {
        "name": earning.name,
        "class": class_of(earning.name).name,
        "guesses": earning.guesses,
        "attempts": earning.attempts,
        "best": earning.about,
        "ends_as_the_gold": earning.is_right,
        "scores": scores,
        "error": earning.error,
    }
