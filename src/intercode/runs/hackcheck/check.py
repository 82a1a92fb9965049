"""Every task of a job against the gold and all adversaries, several at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from intercode.agents.base import Agent
from intercode.agents.oracle import OracleAgent
from intercode.datasets.base import Dataset
from intercode.envs.base import Env
from intercode.envs.bash import BashEnv
from intercode.envs.core.snapshots import EnvSnapshot
from intercode.errors import MachineError, RewardError, SnapshotError
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode import Episode
from intercode.runs.hackcheck.adversary import Adversary, AdversaryAgent
from intercode.runs.hackcheck.clues import NO_CLUES, of_dataset
from intercode.runs.hackcheck.gold_lint import GoldWarning, lint
from intercode.runs.hackcheck.verdict import AdversaryScore, TaskCheck
from intercode.runs.job import Job
from intercode.runs.parallel_map import ParallelMap
from intercode.runs.runner import seed_of
from intercode.types import Scoring, Task, Trajectory

SHARE = 3
"""A generic attempt is made on each so many-th task of a world's own judge."""

GOLDS = ("gold", "gold again", "gold in a fresh sandbox")
"""How often the gold is played: twice in one sandbox, and once in another that has seen nothing else."""


@dataclass(frozen=True)
class HackCheck:
    """Plays the tasks of *job*; *elsewhere* is the same job in a place of its own.

    Where a task has no gold only the adversaries play. *allowed* is what an adversary may earn, and *reads_source* lets
    it know the constants in the source of a reward, or of a world, that is the folder's own. An episode that the
    machine broke is an `AdversaryScore` with an error. Where it *stops_early* the first adversary that is paid is a
    task's last. Unless *every_guess* is wanted, attempts that have nothing to do with a task are shared out among the
    tasks where all have the same judge.
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

    def shares(self, dataset: Dataset) -> bool:
        """Whether generic attempts are shared out among the tasks."""
        own_judge = dataset.reward_file is not None or dataset.world.endswith(".py")
        return not (self.every_guess or own_judge) and len(self.job.tasks) >= 2 * SHARE

    def run(self) -> tuple[TaskCheck, ...]:
        """What everybody earned, task by task in the job's order; may be called once.

        Raises:
            InterruptedRunError: After Ctrl-C.
        """
        return ParallelMap(self.job.tasks, (self.job, self.elsewhere), self.check, self.parallel, self.callback).run()

    def check(self, envs: Sequence[Env], task: Task, moved: Callable[[], None]) -> TaskCheck:
        """What everybody earned on one task: *envs* are of `job` and of `elsewhere`, *moved* is called before each."""
        here, there = envs
        places = zip(GOLDS, (here, here, there), strict=True)
        played = [self._play(name, env, OracleAgent(), task, moved) for name, env in places]
        warnings = _lint(here, task)
        for number, alone in enumerate(task.alternatives, 2):
            played.append(self._play(f"gold {number}", here, OracleAgent(), alone, moved))
        endings = tuple(_Ending.of(each) for each in played if each.scores is not None)
        attack = partial(self._attack, env=here, task=task, golds=endings, moved=moved)
        golds = [_score(each) for each in played if each.scores is not None or each.error]
        shares = self.shares(here.dataset)
        check = TaskCheck(task.id, tuple(golds), (), self.job.scoring, self.allowed, warnings, shares)
        for each in self.adversaries:
            check = replace(check, adversaries=(*check.adversaries, attack(each)))
            if self.stops_early and check.paid(self.job.scoring):
                break
        return check

    def _attack(
        self, adversary: Adversary, *, env: Env, task: Task, golds: Sequence[_Ending], moved: Callable[[], None]
    ) -> AdversaryScore:
        """The best of its attempts. The first success that is none of the gold's own endings ends them."""
        scoring, best, tried = self.job.scoring, AdversaryScore(adversary.name, None), 0
        failures: tuple[str, ...] = ()
        for tried, (attempt, played) in enumerate(self._attempts(adversary, env, task, moved), 1):
            ending = _Ending.of(played)
            is_right = adversary.guesses and any(ending.earns(gold, adversary) for gold in golds)
            earning = replace(_score(played), guesses=adversary.guesses, about=attempt.about, is_right=is_right)
            failures += tuple(f"{attempt.about}: {how}" for how in earning.reward_failures)
            best = max(best, earning, key=lambda each: _rank(each, scoring)) if tried > 1 else earning
            if earning.error or (earning.succeeds(scoring) and not is_right):
                best = earning
                break
        return replace(best, guesses=adversary.guesses, attempts=tried, reward_failures=failures)

    def _attempts(
        self, adversary: Adversary, env: Env, task: Task, moved: Callable[[], None]
    ) -> Iterator[tuple[Adversary, Trajectory]]:
        """Its attempts, each played when it is asked for; from one beginning, where that is quicker than a reset."""
        attempts = self._choose(adversary, env, task)
        with _snapshot_of(env, task) if env.restores_in_place and len(attempts) > 1 else nullcontext() as beginning:
            for attempt in attempts:
                yield attempt, self._play(adversary.name, env, AdversaryAgent(attempt), task, moved, beginning)

    def _choose(self, adversary: Adversary, env: Env, task: Task) -> Sequence[Adversary]:
        """All attempts; of shared ones the first, which holds the most, and those whose turn it is on this task."""
        clues = of_dataset(env.dataset, self.job.settings.reward) if self.reads_source else NO_CLUES
        attempts = adversary.attempts(task.view(), clues)
        if not (adversary.is_generic and self.shares(env.dataset)):
            return attempts
        turn = [each.id for each in self.job.tasks].index(task.id) % SHARE
        return [each for number, each in enumerate(attempts) if number == 0 or number % SHARE == turn]

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
        episode = Episode(env, agent, task, name=name, seed=seed_of(0, task.id, 0), beginning=beginning)
        try:
            return episode.play()
        except RewardError as error:
            return episode.failure(error)
        except SnapshotError:  # the last attempt has left something by which the beginning cannot be come to again
            return self._play(name, env, agent, task, moved)


def _snapshot_of(env: Env, task: Task) -> EnvSnapshot | nullcontext[None]:
    """An episode of *task* as it begins; none where the machine, or the state, does not let it be kept."""
    try:
        env.start_episode(task, seed=seed_of(0, task.id, 0))
        return env.snapshot()
    except (MachineError, SnapshotError):  # then each attempt begins, and tells of what is wrong, by itself
        return nullcontext()


@dataclass(frozen=True, slots=True)
class _Ending:
    """What an episode left: its last code and what that showed, what was handed in, and the state."""

    code: str
    shown: str
    handed_in: str
    state: str

    @staticmethod
    def of(played: Trajectory) -> _Ending:
        shown = [turn.observation.text for turn in played.turns if turn.action.kind == "execute"]
        handed_in = [turn.action.text for turn in played.turns if turn.action.kind == "submit"]
        state = played.turns[-1].state_hash if played.turns else ""
        ran = [turn.action.text for turn in played.turns if turn.action.kind == "execute"]
        code = " ".join(re.sub("[`;\"']", " ", "".join(ran[-1:])).casefold().split())
        return _Ending(code, " ".join("".join(shown[-1:]).split()), "".join(handed_in[-1:]), state)

    def earns(self, gold: _Ending, adversary: Adversary) -> bool:
        """Whether it is the *gold*'s own work, or, where that counts as luck for an *adversary*, ends alike."""
        if self.ran(gold):
            return True
        has_said_so = not adversary.uses_words_of_golds or _words(self.code) <= _words(gold.code)
        return adversary.may_be_right and has_said_so and self.is_like(gold)

    def ran(self, gold: _Ending) -> bool:
        """Whether it ended with the gold's own code, but for case, blanks and quotes, in the gold's state."""
        return self.code == gold.code != "" and self.state == gold.state

    def is_like(self, gold: _Ending) -> bool:
        """Whether it says the same, and leaves the same. What a gold hands in is all that it says: a flag, often."""
        says = self.handed_in == gold.handed_in if gold.handed_in else self.shown == gold.shown
        return says and self.state == gold.state


def _words(code: str) -> set[str]:
    return set(re.findall(r"\w+", code))


def _score(played: Trajectory) -> AdversaryScore:
    """What an episode earned; that the reward failed is no fault of the machine's."""
    failed = played.error.startswith(f"{RewardError.__name__}: ")
    failures = (played.error.partition(": ")[2],) if failed else ()
    return AdversaryScore(played.agent, played.scores, "" if failed else played.error, reward_failures=failures)


def _rank(earning: AdversaryScore, scoring: Scoring) -> tuple[bool, float]:
    """What succeeds wrongly comes first, then what earns most."""
    return earning.succeeds(scoring) and not earning.is_right, earning.value(scoring)


def _lint(env: Env, task: Task) -> tuple[GoldWarning, ...]:
    """What is odd about the golds of *task*, which *env* has just played.

    Only golds that are commands, judged by the files that they leave, are looked at.
    """
    if not isinstance(env, BashEnv) or not env.world_spec.has_criteria or env.session is None:
        return ()
    found = (lint(task, text, gold) for text, gold in zip(task.golds, env.gold_endings(), strict=True))
    return tuple(chain.from_iterable(found))
