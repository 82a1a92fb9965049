"""The quick way to certify Bash tasks: what hackcheck and `TaskCertifier` play, judged by the same function.

Episodes of an environment begin, end and are judged one by one. Here golds run as the environment runs them, but the
endings of attempts are shared by all tasks over one image (`endings.py`), and `exact` compares them with each gold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from intercode.datasets.base import Dataset
from intercode.envs.bash.gold_runs import FreshSessions, study_exact
from intercode.errors import MachineError
from intercode.rewards.bash.exact import exact
from intercode.rewards.bash.final_state import BashEnding, Gold
from intercode.runs.certify.endings import EndingCache, commands
from intercode.runs.certify.materials import Materials
from intercode.runs.certify.verdict import TaskVerdict
from intercode.runs.hackcheck.adversary import Adversary, Moves
from intercode.runs.hackcheck.check import SHARE
from intercode.sandboxes.base import Limits, Sandbox
from intercode.sandboxes.images import Image
from intercode.types import Score, Task


@dataclass(frozen=True)
class BashCertifier:
    """Certifies tasks of *dataset* on *base*; golds play in *sandbox* and, once more, in *elsewhere*.

    *shares*: attempts that have nothing to do with a task are shared out among the tasks, as hackcheck does.
    """

    dataset: Dataset
    base: Image
    sandbox: Sandbox
    elsewhere: Sandbox
    adversaries: Sequence[Adversary]
    limits: Limits
    shares: bool = True

    def certify(
        self, tasks: Sequence[tuple[int, Task]], done: Callable[[TaskVerdict], None]
    ) -> tuple[TaskVerdict, ...]:
        """Tasks over one image, each with its number in the whole; *done* hears of each. Raises MachineError."""
        image = self.dataset.image(tasks[0][1], self.base)
        found = []
        with (
            EndingCache(self.sandbox, image, self.limits, time.time()) as here,
            EndingCache(self.elsewhere, image, self.limits, time.time()) as there,
        ):
            for number, task in tasks:
                try:
                    verdict = _TaskRun(self, here, there, task, number).verdict()
                except MachineError as error:
                    verdict = TaskVerdict(task.id, error=f"{type(error).__name__}: {error}")
                found.append(verdict)
                done(verdict)
        return tuple(found)


@dataclass(frozen=True)
class TaskJudge:
    """Judges attempts at *task* by its *gold*'s ending, as `exact` does."""

    task: Task
    gold: Gold

    @classmethod
    def of(cls, task: Task, where: EndingCache) -> TaskJudge:
        """Runs the task's gold in fresh sessions like those of *where*. Raises MachineError."""
        twins = FreshSessions(where.sandbox, where.image, where.limits, None, archives=task.criteria.archive_members)
        any_order = task.criteria.any_order
        return cls(task, study_exact(twins, task.gold or "", where.started_at, any_order=any_order))

    def score(self, where: EndingCache, moves: Moves) -> Score:
        """What the ending of *moves* is worth; 0 where they broke their session."""
        ending, path = where.play(moves, archives=self.task.criteria.archive_members)
        if ending is None:
            return Score(0.0, success=False, notes=("the session was broken",))
        return exact(BashEnding(self.task, ending, self.gold, acted=bool(path)))


@dataclass(frozen=True)
class _TaskRun:
    """One task over the file system that *here* and *there* play in."""

    certifier: BashCertifier
    here: EndingCache
    there: EndingCache
    task: Task
    number: int

    def verdict(self) -> TaskVerdict:
        """All that a certificate says of it."""
        task = self.task
        if task.gold is None:
            return TaskVerdict(task.id, ("gold: there is none",))
        judge = TaskJudge.of(task, self.here)
        materials = Materials.of(task)
        reasons = [*self._gold_reasons(judge), *self._second_reasons(judge, materials)]
        survivors = [text for text in materials.near_misses if judge.score(self.here, commands(text)).success]
        if not materials.mutated:
            reasons += [f"near miss: {text[:80]!r} scores 1" for text in survivors]
        attempts, most_paid = 0, 0.0
        for adversary in self.certifier.adversaries:
            tried, paid, reason = self._attack(judge, adversary)
            attempts += tried
            most_paid = max(most_paid, paid)
            reasons += reason
        return TaskVerdict(
            task=task.id,
            reasons=tuple(reasons),
            second_golds=len(materials.second_golds),
            near_misses=len(materials.near_misses),
            mutants=materials.mutated,
            survivors=tuple(survivors),
            attempts=attempts,
            most_paid=most_paid,
        )

    def _gold_reasons(self, judge: TaskJudge) -> Iterator[str]:
        """Twice in sessions of one sandbox, and once in another sandbox."""
        assert self.task.gold is not None
        if judge.gold.volatile:
            yield "gold: two runs of it differ"
        text = self.task.gold
        for name, where in (("gold", self.here), ("gold again", self.here), ("gold elsewhere", self.there)):
            where.forget(text)
            score = judge.score(where, commands(text))
            if not score.success:
                yield f"gold: {name} scores {score.value:.2f}: {'; '.join(score.notes)}"

    def _second_reasons(self, judge: TaskJudge, materials: Materials) -> Iterator[str]:
        for text in materials.second_golds:
            score = judge.score(self.here, commands(text))
            if not score.success:
                yield f"second gold: it scores {score.value:.2f}: {'; '.join(score.notes)}"

    def _attack(self, judge: TaskJudge, adversary: Adversary) -> tuple[int, float, list[str]]:
        """How many attempts were made, the most that a part was paid, and why the task is not certified for it."""
        most = 0.0
        attempts = list(adversary.attempts(self.task.view()))
        if adversary.is_generic and self.certifier.shares:
            turn = self.number % SHARE
            attempts = [each for at, each in enumerate(attempts) if at == 0 or at % SHARE == turn]
        for attempt in attempts:
            score = judge.score(self.here, attempt.moves(self.task.view()))
            most = max(most, score.value)
            if score.success or (score.value > 0 and not adversary.guesses):
                return len(attempts), most, [f"adversary: {adversary.name} is paid {score.value:.2f} ({attempt.about})"]
        return len(attempts), most, []
