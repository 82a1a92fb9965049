"""One task certified by endings: what every quick way to certify has in common, whatever its world.

A quick way plays attempts where tasks share them (*here*, and *there* in another place), and has a judge for each task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from intercode.runs.certify.endings import commands
from intercode.runs.certify.materials import Materials
from intercode.runs.certify.verdict import TaskVerdict
from intercode.runs.hackcheck.adversary import Adversary, Moves
from intercode.runs.hackcheck.check import SHARE
from intercode.types import Score, Task


class Endings(Protocol):
    """Where attempts are played, each once however many tasks want it judged."""

    def forget(self, text: str) -> None:
        """What the action *text* did alone: the next time it runs again, where nothing has run."""


Where = TypeVar("Where", bound=Endings)
Place = TypeVar("Place", bound=Endings, contravariant=True)


class Judge(Protocol[Place]):
    """Judges attempts at one task by its gold's ending, as `exact` does."""

    @property
    def is_volatile(self) -> bool:
        """Whether two runs of the gold differ."""

    def score_of_second_run(self) -> Score | None:
        """What a second run of the gold is worth, where there was one to study it; None else."""

    def rules_out(self, where: Place, attempt: Adversary) -> bool:
        """Whether *attempt* is known not to score 1, so that it need not be played."""

    def score(self, where: Place, moves: Moves) -> Score:
        """What the ending of *moves* is worth; 0 where they broke their session."""

    def succeeds(self, where: Place, moves: Moves) -> bool:
        """Whether `score` gives a success, which may be known sooner than the score."""


@dataclass(frozen=True, slots=True)
class Attack:
    """An adversary at a task: its attempts, those that were not played, the most that one was paid, what is wrong."""

    attempts: int
    ruled_out: int
    most_paid: float
    reasons: tuple[str, ...] = ()


def verdict_of(
    task: Task, materials: Materials, reasons: Sequence[str], survivors: Sequence[str], attacks: Sequence[Attack]
) -> TaskVerdict:
    """All that a certificate says of *task*, of which *materials* and *attacks* were played."""
    return TaskVerdict(
        task=task.id,
        reasons=tuple(reasons),
        second_golds=len(materials.second_golds),
        near_misses=len(materials.near_misses),
        mutants=materials.mutated,
        survivors=tuple(survivors),
        attempts=sum(each.attempts for each in attacks),
        ruled_out=sum(each.ruled_out for each in attacks),
        most_paid=max((each.most_paid for each in attacks), default=0.0),
    )


@dataclass(frozen=True)
class TaskRun(Generic[Where]):
    """The task with that *number* in the whole, judged by *judge*.

    *shares*: attempts that have nothing to do with a task are shared out among the tasks, as hackcheck does.
    """

    task: Task
    number: int
    judge: Judge[Where]
    here: Where
    there: Where
    adversaries: Sequence[Adversary]
    shares: bool

    def verdict(self) -> TaskVerdict:
        """All that a certificate says of it."""
        task = self.task
        materials = Materials.of(task)
        reasons = [*self._gold_reasons(task.gold or ""), *self._second_reasons(materials)]
        survivors = [text for text in materials.near_misses if self.judge.succeeds(self.here, commands(text))]
        if not materials.mutated:
            reasons += [f"near miss: {text[:80]!r} scores 1" for text in survivors]
        attacks = [self._attack(adversary) for adversary in self.adversaries]
        reasons += [reason for each in attacks for reason in each.reasons]
        return verdict_of(task, materials, reasons, survivors, attacks)

    def _gold_reasons(self, text: str) -> Iterator[str]:
        """Twice in sessions of one place, and once in another; beside the run by whose ending it is judged."""
        if self.judge.is_volatile:
            yield "gold: two runs of it differ"
        second = self.judge.score_of_second_run()
        scores = {
            "gold": second if second is not None and second.success else self._play_anew(text, self.here),
            "gold again": self._play_anew(text, self.here),
            "gold elsewhere": self._play_anew(text, self.there),
        }
        for name, score in scores.items():
            if not score.success:
                yield f"gold: {name} scores {score.value:.2f}: {'; '.join(score.notes)}"

    def _play_anew(self, text: str, where: Where) -> Score:
        """What *text* earns where nothing else has run."""
        where.forget(text)
        return self.judge.score(where, commands(text))

    def _second_reasons(self, materials: Materials) -> Iterator[str]:
        for text in materials.second_golds:
            score = self.judge.score(self.here, commands(text))
            if not score.success:
                yield f"second gold: it scores {score.value:.2f}: {'; '.join(score.notes)}"

    def _attack(self, adversary: Adversary) -> Attack:
        """All its attempts, up to the first that is paid. One who only guesses is paid for success alone."""
        most, ruled_out = 0.0, 0
        attempts = list(adversary.attempts(self.task.view()))
        if adversary.is_generic and self.shares:
            turn = self.number % SHARE
            attempts = [each for at, each in enumerate(attempts) if at == 0 or at % SHARE == turn]
        for attempt in attempts:
            if adversary.guesses and self.judge.rules_out(self.here, attempt):
                ruled_out += 1
                continue
            score = self.judge.score(self.here, attempt.moves(self.task.view()))
            most = max(most, score.value)
            if score.success or (score.value > 0 and not adversary.guesses):
                paid = f"adversary: {adversary.name} is paid {score.value:.2f} ({attempt.about})"
                return Attack(len(attempts), ruled_out, most, (paid,))
        return Attack(len(attempts), ruled_out, most)
