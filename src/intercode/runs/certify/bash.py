"""The quick way to certify Bash tasks: what hackcheck and `TaskCertifier` play, judged by the same function.

Episodes of an environment begin, end and are judged one by one. Here golds run as the environment runs them, but the
endings of attempts are shared by all tasks over one image (`endings.py`), and `exact` compares them with each gold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from intercode.datasets.base import Dataset
from intercode.envs.bash.gold_runs import ExactStudy, FreshSessions, study_exact
from intercode.envs.core.gold_runner import fresh
from intercode.errors import MachineError
from intercode.rewards.bash.exact import ExactJudge
from intercode.rewards.bash.final_state import FinalState
from intercode.runs.certify.endings import EndingCache
from intercode.runs.certify.foresight import Foresight
from intercode.runs.certify.shared_endings import SharedEndings
from intercode.runs.certify.task_run import TaskRun
from intercode.runs.certify.verdict import TaskVerdict
from intercode.runs.hackcheck.adversary import Adversary, Moves
from intercode.sandboxes.base import Limits, Sandbox, Session
from intercode.sandboxes.images import Image
from intercode.types import Score, Task


@dataclass(frozen=True)
class BashCertifier:
    """Certifies tasks of *dataset* on *base*; golds play in *sandbox* and, once more, in *elsewhere*.

    *shares*: attempts that have nothing to do with a task are shared out among the tasks, as hackcheck does. Unless it
    *foresees*, attempts are played, too, of which it is known before that they cannot score 1.
    """

    dataset: Dataset
    base: Image
    sandbox: Sandbox
    elsewhere: Sandbox
    adversaries: Sequence[Adversary]
    limits: Limits
    shares: bool = True
    foresees: bool = True
    _shared: dict[str, SharedEndings] = field(default_factory=dict, init=False)
    """By image."""

    def certify(
        self, tasks: Iterator[tuple[int, Task]], done: Callable[[TaskVerdict], None]
    ) -> tuple[TaskVerdict, ...]:
        """Tasks over one image, each with its number in the whole; *done* hears of each.

        Raises:
            MachineError: If the sandbox breaks.
        """
        first = next(tasks, None)
        if first is None:
            return ()
        image = self.dataset.image(first[1], self.base)
        shared = self._shared.setdefault(image.digest, SharedEndings())
        found = []
        with (
            EndingCache(self.sandbox, image, self.limits, shared.started_at) as here,
            EndingCache(self.elsewhere, image, self.limits, time.time()) as there,
            shared.joined_by(here),
        ):
            for number, task in chain([first], tasks):
                shared.tell(here)
                try:
                    verdict = self._verdict(task, number, here, there)
                except MachineError as error:
                    verdict = TaskVerdict(task.id, error=f"{type(error).__name__}: {error}")
                shared.is_begun.set()
                found.append(verdict)
                done(verdict)
        return tuple(found)

    def _verdict(self, task: Task, number: int, here: EndingCache, there: EndingCache) -> TaskVerdict:
        if task.gold is None:
            return TaskVerdict(task.id, ("gold: there is none",))
        judge = TaskJudge.of(task, here, foresees=self.foresees)
        return TaskRun(task, number, judge, here, there, self.adversaries, self.shares).verdict()


@dataclass(frozen=True, slots=True, kw_only=True)
class PristineSessions(FreshSessions):
    """Where golds run whose sessions go on to the next attempt as long as they are pristine."""

    cache: EndingCache

    def session(self, started_at: float, shuffle: int = 0) -> AbstractContextManager[Session]:
        """See `FreshSessions.session`."""
        return fresh(lambda: self.cache.session(started_at, shuffle))


@dataclass(frozen=True)
class TaskJudge:
    """Judges attempts at *task* by its gold's ending, as `exact` does.

    Whether the order of the gold's lines is free takes three more runs to know, so it is asked only where a score
    depends on it.
    """

    task: Task
    study: ExactStudy
    foresight: Foresight | None = None

    @classmethod
    def of(cls, task: Task, where: EndingCache, *, foresees: bool = False) -> TaskJudge:
        """Runs the task's gold in sessions like those of *where*.

        Raises:
            MachineError: If the sandbox breaks.
        """
        sessions = PristineSessions(
            where.sandbox, where.image, where.limits, None, archives=task.criteria.archive_members, cache=where
        )
        study = study_exact(sessions, task.gold or "", where.started_at)
        if task.criteria.any_order:
            study = replace(study, may_be_order_free=False)
        known = replace(study.gold, order_free=study.may_be_order_free)  # what no order makes right is not right
        return cls(task, study, Foresight.of(known, task.criteria) if foresees else None)

    @property
    def is_volatile(self) -> bool:
        """Whether two runs of the gold differ."""
        return self.study.gold.volatile

    def score_of_second_run(self) -> Score:
        """What the gold's ending is worth that was come to in a fresh session for comparison."""
        return self._score(self.study.again)

    def rules_out(self, where: EndingCache, attempt: Adversary) -> bool:
        """Whether *attempt* cannot score 1, since it does no more than its effect says."""
        return self.foresight is not None and self.foresight.rules_out(attempt.effect, where.can_make)

    def score(self, where: EndingCache, moves: Moves) -> Score:
        """What the ending of *moves* is worth; 0 where they broke their session."""
        ending, path = where.play(moves, archives=self.task.criteria.archive_members)
        return BROKEN if ending is None else self._score(ending, acted=bool(path))

    def succeeds(self, where: EndingCache, moves: Moves) -> bool:
        """Whether `score` gives a success."""
        ending, path = where.play(moves, archives=self.task.criteria.archive_members)
        if ending is None:
            return False
        if self.study.may_be_order_free and not self._exact(ending, order_free=True, acted=bool(path)).success:
            return False
        return self._score(ending, acted=bool(path)).success

    def _score(self, ending: FinalState, *, acted: bool = True) -> Score:
        """Where lines are right, but not all of them, or in another order, it counts whether that is free."""
        score = self._exact(ending, order_free=False, acted=acted)
        if 0 < score.parts.get("answer", 0) < 1 and self.study.is_order_free:
            return self._exact(ending, order_free=True, acted=acted)
        return score

    def _exact(self, ending: FinalState, *, order_free: bool, acted: bool) -> Score:
        return (self._free if order_free else self._strict).judge(ending, acted=acted)

    @cached_property
    def _strict(self) -> ExactJudge:
        return ExactJudge(self.task, self.study.gold)

    @cached_property
    def _free(self) -> ExactJudge:
        return ExactJudge(self.task, replace(self.study.gold, order_free=True))


BROKEN = Score(0.0, success=False, notes=("the session was broken",))
"""What an attempt is worth that broke its session."""
