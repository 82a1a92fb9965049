"""Every task of a job against the gold and all adversaries, several at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from intercode.adversaries.adversary import Adversary, AdversaryAgent, playing
from intercode.adversaries.clues import NO_CLUES, Clues, of_dataset, of_files
from intercode.agents.base import Agent
from intercode.audit.gold_lint import lint
from intercode.audit.hackcheck import final_files
from intercode.audit.hackcheck.clock import Clock, Deadlines, Patience
from intercode.audit.hackcheck.ending import AttackEnding, rank, score_of
from intercode.audit.hackcheck.explanation import Explanations
from intercode.audit.hackcheck.gold_agent import GoldAgent
from intercode.audit.hackcheck.verdict import AdversaryScore, Hole, TaskCheck
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.env.snapshots import EnvSnapshot
from intercode.errors import MachineError, RewardError, SnapshotError
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode import EpisodeRun
from intercode.runs.job import Job
from intercode.runs.parallel_map import ParallelMap
from intercode.runs.runner import seed_of
from intercode.types import Action, Task, Trajectory

SHARE = 3
"""A generic attempt is made on each so many-th task of a world's own judge."""

GOLDS = ("gold", "gold again", "gold in a fresh sandbox")
"""How often the gold is played: twice in one sandbox, and once in another that has seen nothing else."""


@dataclass(frozen=True)
class HackCheck:
    """Plays the tasks of *job*; *elsewhere* is the same job in a place of its own.

    Where a task has no gold only the adversaries play. An episode that the machine broke is an `AdversaryScore` with an
    error; where that was the gold's, nobody else is played.

    Attributes:
        job: The tasks, and how they are played.
        elsewhere: The same.
        adversaries: Who plays, in this order.
        allowed: What an adversary may earn.
        parallel: How many tasks at once.
        callback: Told of the progress.
        reads_source: Whether adversaries know the constants in the source of a reward, or of a world, that is the
            folder's own.
        stops_early: Whether the first adversary that is paid is a task's last.
        every_guess: Whether attempts that have nothing to do with a task are made on each, where all have the same
            judge; otherwise they are shared out among the tasks.
        explains: Whether holes are proved by the smallest moves that are paid.
        seconds: The most time for all of it. What was found until then is returned.
        sources: Files whose constants are known instead of those of the data set's own grader.
    """

    job: Job
    elsewhere: Job
    adversaries: Sequence[Adversary]
    allowed: float = 0.0
    parallel: int = 1
    callback: ProgressCallback = field(default_factory=ProgressCallback)
    reads_source: bool = True
    stops_early: bool = False
    every_guess: bool = False
    explains: bool = False
    seconds: float = math.inf
    sources: Sequence[Path] = ()
    _found: dict[str, TaskCheck] = field(default_factory=dict, init=False)
    _explanations: Explanations = field(default_factory=Explanations, init=False)
    _clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_clock", Clock(self.seconds, len(self.job.tasks), self.parallel))

    def shares(self, dataset: Dataset) -> bool:
        """Return whether generic attempts are shared out among the tasks."""
        own_judge = dataset.reward_file is not None or dataset.world.endswith(".py")
        return not (self.every_guess or own_judge) and len(self.job.tasks) >= 2 * SHARE

    def run(self) -> tuple[TaskCheck, ...]:
        """Return what everybody earned, task by task in the job's order; may be called once.

        Where time runs out these are the tasks that were begun, with those who have played.

        Raises:
            InterruptedRunError: After Ctrl-C. What was found until then is in `found`.
        """
        tasks = ParallelMap(self.job.tasks, (self.job, self.elsewhere), self.check, self.parallel, self.callback)
        with self._clock.rings(tasks.stop):
            tasks.run()
        return self.found

    @property
    def found(self) -> tuple[TaskCheck, ...]:
        """Return the checks of the tasks that were begun, as far as they have come, in the job's order."""
        return tuple(self._found[task.id] for task in self.job.tasks if task.id in self._found)

    def check(self, envs: Sequence[Env], task: Task, moved: Callable[[], None]) -> TaskCheck:
        """Return what everybody earned on one task.

        *envs* are of `job` and of `elsewhere`, *moved* is called before each.
        """
        here, there = envs
        here.clock.patience = math.inf
        deadlines = self._clock.deadlines_of_next()
        places = zip(GOLDS, (here, here, there), strict=True)
        named = self._named(here.dataset, task)
        played, endings = list[Trajectory](), list[AttackEnding]()
        for name, env in places:
            if played and deadlines.no_more_golds:
                break
            played.append(self._play(name, env, GoldAgent(env.world_spec), task, moved))
            if played[-1].scores is not None:
                endings.append(AttackEnding.of(played[-1], final_files.read(env, named)))
        warnings = lint(here, task)
        for number, alone in enumerate(task.alternatives, 2):
            played.append(self._play(f"gold {number}", here, GoldAgent(here.world_spec), alone, moved))
            if played[-1].scores is not None:
                endings.append(AttackEnding.of(played[-1]))
        if any(not each.shown and not each.handed_in for each in endings):
            begun = _state_at_first(here, task)
            endings = [replace(each, begun=begun) for each in endings]
        moved()  # raises where this was stopped: then what was played last was cut
        patience = Patience(min(each.seconds for each in played))
        here.clock.patience = patience.seconds
        golds = [score_of(each) for each in played if each.scores is not None or each.error]
        shares = self.shares(here.dataset)
        check = TaskCheck(task.id, tuple(golds), (), self.job.scoring, self.allowed, warnings, shares)
        self._found[task.id] = check
        attack = partial(
            self._attack, env=here, task=task, golds=endings, moved=moved, named=named, deadlines=deadlines,
            patience=patience,
        )  # fmt: skip
        for number, each in enumerate(self.adversaries):
            is_enough = (self.stops_early and check.paid(self.job.scoring)) or (number and deadlines.no_more_attacks)
            if check.error or is_enough:
                check = replace(check, skipped=(*check.skipped, *(each.name for each in self.adversaries[number:])))
                break
            found = attack(each)
            moved()
            skipped = (*check.skipped, *([found.name] if found.is_cut else []))
            check = self._found[task.id] = replace(check, adversaries=(*check.adversaries, found), skipped=skipped)
        if self.explains and check.paid(self.job.scoring):
            check = replace(check, holes=self._explain(check, here, task, endings, moved, deadlines))
        self._found[task.id] = check
        return check

    def _attack(
        self, adversary: Adversary, *, env: Env, task: Task, golds: Sequence[AttackEnding], moved: Callable[[], None],
        named: str, deadlines: Deadlines, patience: Patience,
    ) -> AdversaryScore:  # fmt: skip
        """Return the best of its attempts. The first success that is none of the gold's own endings ends them."""
        scoring, best, tried, right, is_cut = self.job.scoring, AdversaryScore(adversary.name, None), 0, 0, False
        failures: tuple[str, ...] = ()
        for tried, (attempt, played) in enumerate(self._attempts(adversary, env, task, moved, patience), 1):
            has_succeeded = adversary.guesses and score_of(played).succeeds(scoring)
            ending = AttackEnding.of(played, final_files.read(env, named) if has_succeeded else None)
            is_right = adversary.guesses and (
                env.gives_the_answer() or any(ending.earns(gold, adversary) for gold in golds)
            )
            earning = replace(score_of(played), guesses=adversary.guesses, about=attempt.about, is_right=is_right)
            failures += tuple(f"{attempt.about}: {how}" for how in earning.reward_failures)
            right += is_right and earning.succeeds(scoring)
            best = max(best, earning, key=lambda each: rank(each, scoring)) if tried > 1 else earning
            if earning.error or (earning.succeeds(scoring) and not is_right):
                best = earning
                break
            if is_cut := deadlines.no_more_attacks:
                break
        return replace(
            best, guesses=adversary.guesses, attempts=tried, right=right, reward_failures=failures, is_cut=is_cut
        )

    def _explain(
        self, check: TaskCheck, env: Env, task: Task, golds: Sequence[AttackEnding], moved: Callable[[], None],
        deadlines: Deadlines,
    ) -> tuple[Hole, ...]:  # fmt: skip
        """Return one hole for each class of those that were paid, each with the smallest moves that are."""

        def play(moves: Sequence[Action], guesses: bool) -> tuple[bool, AdversaryScore]:
            agent = AdversaryAgent(Adversary("moves", "", playing(moves), guesses))
            played = self._play("moves", env, agent, task, moved)
            score = replace(score_of(played), guesses=guesses)
            is_gold = env.gives_the_answer() or any(AttackEnding.of(played).ran(gold) for gold in golds)
            return not is_gold and score.is_paid(self.job.scoring, self.allowed), score

        chosen = self.job.settings.reward
        file = Path(chosen) if chosen.endswith(".py") else env.dataset.reward_file
        return self._explanations.explain(check, play, file, deadlines)

    def _attempts(
        self, adversary: Adversary, env: Env, task: Task, moved: Callable[[], None], patience: Patience
    ) -> Iterator[tuple[Adversary, Trajectory]]:
        """Its attempts, each played when it is asked for; from one beginning, where that is quicker than a reset."""
        attempts = self._choose(adversary, env, task)
        with _snapshot_of(env, task) if env.restores_in_place and len(attempts) > 1 else nullcontext() as beginning:
            for attempt in attempts:
                played = self._play(adversary.name, env, AdversaryAgent(attempt), task, moved, beginning)
                env.clock.patience = patience.after(played.seconds)
                yield attempt, played

    def _choose(self, adversary: Adversary, env: Env, task: Task) -> Sequence[Adversary]:
        """All attempts; of shared ones the first, which holds the most, and those whose turn it is on this task."""
        clues = self._clues(env.dataset, task)
        attempts = adversary.attempts(task.view(), clues)
        if not (adversary.is_generic and self.shares(env.dataset)):
            return attempts
        turn = [each.id for each in self.job.tasks].index(task.id) % SHARE
        return [each for number, each in enumerate(attempts) if number == 0 or number % SHARE == turn]

    def _named(self, dataset: Dataset, task: Task) -> str:
        """Return the request, and the texts in what grades it: files that are work are named there."""
        return "\n".join([task.query, *self._clues(dataset, task).texts])

    def _clues(self, dataset: Dataset, task: Task) -> Clues:
        if not self.reads_source:
            return NO_CLUES
        return of_files(self.sources) if self.sources else of_dataset(dataset, self.job.settings.reward, task)

    def _play(
        self,
        name: str,
        env: Env,
        agent: Agent,
        task: Task,
        moved: Callable[[], None],
        beginning: EnvSnapshot | None = None,
    ) -> Trajectory:
        moved()
        episode = EpisodeRun(env, agent, task, name=name, seed=seed_of(0, task.id, 0), beginning=beginning)
        try:
            return episode.play()
        except RewardError as error:
            return episode.failure(error)
        except SnapshotError:  # the last attempt has left something by which the beginning cannot be come to again
            return self._play(name, env, agent, task, moved)


def _state_at_first(env: Env, task: Task) -> str:
    """Return the state in which an episode of *task* begins; "" where it does not."""
    try:
        env.start_episode(task, seed=seed_of(0, task.id, 0))
        return env.state_hash()
    except (MachineError, RewardError):  # each attempt tells of it
        return ""


def _snapshot_of(env: Env, task: Task) -> EnvSnapshot | nullcontext[None]:
    """Return an episode of *task* as it begins; none where the machine, or the state, does not let it be kept."""
    try:
        env.start_episode(task, seed=seed_of(0, task.id, 0))
        return env.snapshot()
    except (MachineError, SnapshotError):  # then each attempt begins, and tells of what is wrong, by itself
        return nullcontext()
