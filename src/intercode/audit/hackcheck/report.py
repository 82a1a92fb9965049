"""All that a check found, and the verdict: what the text, JSON, SARIF, the badge and the page say is read from here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from intercode.adversaries.adversary import Adversary
from intercode.audit.hackcheck.verdict import AdversaryScore, Hole, TaskCheck
from intercode.types import shown_rewards
from intercode_sandbox.util.text import pluralize

Outcome = Literal["paid", "unchecked", "error", "reward failed", "unusable", "sound"]
"""The worst of what was found: an adversary was paid; nothing was checked, since no right work was seen to be paid; the
machine failed; a reward raised; some tasks are of no use; none of these."""

SHARED = " (generic guesses each on a third of the tasks, which one judge scores; --every-guess: on all)"
"""What the sentence says besides, where that is so."""

LONGEST = 300
"""Characters of a reason."""


@dataclass(frozen=True, slots=True)
class HackcheckReport:
    """What was found.

    Attributes:
        checks: The tasks that were begun.
        adversaries: Those that were to play.
        scoring: The scoring that counts.
        tasks: How many tasks were to be checked.
        command: The command line that checks the data set, which `--tasks` and `--moves` can follow.
        known: Holes of a baseline, as task and class: they do not fail.
        allows_wrong_golds: Whether wrong golds fail.
        advice: What makes right work known, where that can be named.
    """

    checks: Sequence[TaskCheck]
    adversaries: Sequence[Adversary]
    scoring: str
    tasks: int
    command: str = "intercode hackcheck"
    known: frozenset[tuple[str, str]] = frozenset()
    allows_wrong_golds: bool = False
    advice: str = ""

    @property
    def scorings(self) -> list[str]:
        """The scorings that are told: the one that counts, and those of the world's under which anything was judged."""
        played = [each.scores or {} for check in self.checks for each in (*check.gold, *check.adversaries)]
        names = shown_rewards(self.scoring)
        return [name for name in names if name == self.scoring or any(name in scores for scores in played)]

    @property
    def paying(self) -> list[TaskCheck]:
        """The tasks that pay an adversary for a mistake that the baseline does not know."""
        return [check for check in self.checks if self._is_new(check)]

    def _is_new(self, check: TaskCheck) -> bool:
        if not check.paid(self.scoring):
            return False
        return not check.holes or any(self.is_new(check.task, hole) for hole in check.holes)

    def is_new(self, task: str, hole: Hole) -> bool:
        """Return whether the baseline does not know the *hole* of *task*."""
        return (task, hole.kind.name) not in self.known

    @property
    def outcome(self) -> Outcome:
        """The worst of what was found."""
        if self.paying:
            return "paid"
        if any(check.error for check in self.checks):
            return "error"
        if any(check.reward_failures for check in self.checks):
            return "reward failed"
        if not self._is_checked:
            return "unchecked"
        if not self.allows_wrong_golds and not all(check.is_usable(self.scoring) for check in self.checks):
            return "unusable"
        return "sound"

    @property
    def _is_checked(self) -> bool:
        """Return whether some task paid right work, and somebody played who should not be paid.

        Where right work could be named, and is not, nobody has seen it paid.
        """
        seen = [check for check in self.checks if check.is_checked(self.scoring) and (check.gold or not self.advice)]
        return any(check.adversaries for check in seen)

    @property
    def sentence(self) -> str:
        """The verdict, and how much was tried for it: that nobody was paid is no proof that nobody can be."""
        paying = self.paying
        if paying:
            verb = "pays" if len(paying) == 1 else "pay"
            new = " (not in the baseline)" if self.known else ""
            found = f"{len(paying)} of {pluralize(len(self.checks), 'task')} {verb} an adversary under {self.scoring}"
            return f"{found}{new}; {self._tried}"
        if not self._is_checked:
            return f"nothing was checked: {self._why_unchecked}"
        return f"no adversary was paid{self._but} under {self.scoring}; {self._tried}{self._complaint}"

    @property
    def _why_unchecked(self) -> str:
        if not self.checks:
            return "no task was played to its end"
        first = self.checks[0]
        if self.advice and not (any(check.gold for check in self.checks) or first.error):
            return f"nobody knows whether right work is paid, since none is known ({first.task}); {self.advice}"
        if any(check.is_checked(self.scoring) for check in self.checks):
            return f"time ran out before any adversary had played ({first.task}): give more --seconds"
        if not first.is_judged and not first.error:
            return f"nothing judges the tasks ({first.task} has neither a gold nor a reward.py)"
        why = first.why_gold_is_wrong(self.scoring) if first.gold else first.error
        failure = next((how for _, how in first.reward_failures), "")
        said = " ".join((why or failure).split())[:LONGEST]
        who = "no gold earns 1" if first.gold else "no grade was given"
        advice = f"; {self.advice}" if self.advice else ""
        return f"{who}, so that nobody knows whether right work is paid ({first.task}: {said}){advice}"

    @property
    def _but(self) -> str:
        """What adversaries may earn, where that is not nothing."""
        most = f" more than {self.checks[0].allowed:g}" if self.checks and self.checks[0].allowed else ""
        if any(each.guesses and each.value(check.scoring) > 0 for check in self.checks for each in check.adversaries):
            most += ", but for parts that were guessed,"
        return f"{most} that the baseline does not name" if self.known else most

    @property
    def _tried(self) -> str:
        most = max((len(check.adversaries) for check in self.checks), default=0)
        attempts = pluralize(sum(check.attempts for check in self.checks), "attempt")
        shared = SHARED if any(check.shares for check in self.checks) else ""
        where = pluralize(len(self.checks), "task")
        return f"tried: {pluralize(most, 'adversary', 'adversaries')} on {where}, {attempts}{shared}{self._left}"

    @property
    def _left(self) -> str:
        """What was not tried, for want of time."""
        left = [f"{pluralize(self.tasks - len(self.checks), 'task')} not begun"] * (len(self.checks) < self.tasks)
        cut = [check for check in self.checks if check.skipped and not check.error]
        if cut:
            most = max(len(check.skipped) for check in cut)
            many = pluralize(most, "adversary", "adversaries")
            left.append(f"up to {many} not tried to the end on {pluralize(len(cut), 'task')}")
        return f"; time ran out: {', '.join(left)}" if left else ""

    @property
    def _complaint(self) -> str:
        if all(check.passes(self.scoring) or check.holes for check in self.checks):
            return ""
        if any(check.reward_failures for check in self.checks):
            return "; but the reward itself failed"
        unusable = sum(not check.is_usable(self.scoring) for check in self.checks)
        if not unusable:
            return "; some could not be judged"
        has_gold = any(check.gold for check in self.checks)
        why = "since no gold there earns 1 each time" if has_gold else "since nothing judges them"
        return f"; {pluralize(unusable, 'task')} not usable, {why}"

    def lucky(self) -> Iterator[tuple[TaskCheck, AdversaryScore]]:
        """Yield the guesses that were right: no fault of the reward, but a task that can be guessed."""
        for check in self.checks:
            yield from ((check, each) for each in check.adversaries if each.right and each.guesses)

    def not_paying(self) -> list[str]:
        """Return the tasks of which nothing, the gold included, earned more than 0."""
        return [
            check.task
            for check in self.checks
            if check.is_judged and not any(each.value(self.scoring) > 0 for each in (*check.gold, *check.adversaries))
        ]

    def unsteady(self) -> list[str]:
        """Return the tasks whose gold succeeds sometimes and not always."""
        found = ([each.succeeds(self.scoring) for each in check.gold] for check in self.checks)
        return [check.task for check, each in zip(self.checks, found, strict=True) if any(each) and not all(each)]
