"""The contract of a reward: subclass it, give one fixture, inherit the tests.

    class TestShortestReward(RewardContract):
        @pytest.fixture
        def reward(self) -> Reward:
            return rewards.find("shortest.py")

The episodes that it judges are the starter set's, in the embedded sandbox. A reward for other tasks gives `make` too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import pytest

from intercode.agents.oracle import OracleAgent
from intercode.env.env import Env
from intercode.rewards.base import EpisodeResult, Reward
from intercode.rewards.core.judge import as_score, judge
from intercode.runs.episode import EpisodeRun
from intercode.testing.env import MakeEnv
from intercode.types import Action, Observation, Score, Task, Trajectory, Turn
from intercode.worlds.bash import BashEnv

ODD_TEXTS = (
    None,
    "",
    " \n",
    "\0",
    "\ud800 \udcff",
    "é漢\u2028",
    "nan",
    "-1",
    "1e999",
    "9" * 5000,
    "[" * 10_000,
    "x" * 1_000_000,
)
"""What an agent may print or hand in. None: it has run nothing."""


class RecordingReward(Reward):
    """Judges by another reward, and remembers what it was given."""

    def __init__(self, reward: Reward) -> None:
        self._reward = reward
        self.results: list[EpisodeResult] = []

    def score(self, result: EpisodeResult) -> Score:
        self.results.append(result)
        return self._reward.score(result)


class RewardContract:
    """What every reward keeps to. Give `reward`, and `make` where the starter set's Bash tasks are none that it judges.

    `tasks` is how many tasks of the data set are played.
    """

    tasks: ClassVar[int] = 3

    @pytest.fixture
    def reward(self) -> Reward:
        """Provide the reward to examine."""
        raise NotImplementedError("give a fixture called `reward`")

    @pytest.fixture
    def make(self) -> MakeEnv:
        """Provide how environments are made whose episodes it judges, with the options of `Env` that they are given."""
        return lambda **options: BashEnv("starter", **options)

    @pytest.fixture
    def env(self, make: MakeEnv, reward: Reward) -> Iterator[Env]:
        """Provide an environment that the reward judges in."""
        with make(reward=reward, scoring="exact") as env:
            yield env

    def test_the_gold_earns_1(self, env: Env) -> None:
        """For a reward by which nobody can do it right no agent learns anything."""
        for task in self._tasks(env):
            assert self._play_gold(env, task).value(env.leading_reward) == 1.0, f"the gold of {task.id}"

    def test_doing_nothing_earns_0(self, env: Env) -> None:
        """Handing in at once is no work."""
        for task in self._tasks(env):
            env.start_episode(task)
            assert env.take_action(Action("submit")).reward == 0.0, f"nothing at {task.id}"

    def test_a_value_is_from_0_to_1(self, make: MakeEnv, reward: Reward) -> None:
        """Whatever was done. `Reward.score` gives a `Score`."""
        for result in self._results(make, reward):
            score = reward.score(result)
            assert isinstance(score, Score)
            assert as_score(score, result.task.id) == score

    def test_full_pay_is_a_success_and_no_pay_is_none(self, make: MakeEnv, reward: Reward) -> None:
        """Else rates of success and mean rewards tell different stories."""
        for result in self._results(make, reward):
            score = reward.score(result)
            assert score.success or score.value < 1, score
            assert score.value > 0 or not score.success, score

    def test_the_same_result_gets_the_same_score(self, make: MakeEnv, reward: Reward) -> None:
        """However often it is asked, and whatever was judged between."""
        with make(reward=(recording := RecordingReward(reward)), scoring="exact") as env:
            self._play_gold(env, env.dataset[0])
            result = recording.results[-1]
            scores = [reward.score(result)]
            for text in ODD_TEXTS[:3]:
                reward.score(_with_text(result, text))
                scores.append(reward.score(result))
            assert all(score == scores[0] for score in scores)

    def test_judging_changes_nothing(self, make: MakeEnv, reward: Reward) -> None:
        """An agent that is judged at every turn must not notice."""
        with make(reward=reward, scoring="exact", reward_every_turn=True) as env:
            task = env.dataset[0]
            env.start_episode(task)
            before = env.state_hash()
            first, again = env.judge(), env.judge()
            assert (first, env.state_hash()) == (again, before)

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
    def test_odd_answers_are_judged(self, make: MakeEnv, reward: Reward, text: str | None) -> None:
        """An exception would end the whole run."""
        with make(reward=(recording := RecordingReward(reward)), scoring="exact") as env:
            env.start_episode(env.dataset[0])
            env.take_action(Action("submit"))
            judge(reward, _with_text(recording.results[-1], text))

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
    def test_a_result_of_which_nothing_else_is_known_is_judged(self, reward: Reward, text: str | None) -> None:
        """A task without a gold, in a world without files."""
        judge(reward, _with_text(EpisodeResult(Task("contract/0", "Say hi.")), text))

    # How

    def _tasks(self, env: Env) -> list[Task]:
        return [env.dataset[index] for index in range(min(self.tasks, len(env.dataset)))]

    def _play_gold(self, env: Env, task: Task) -> Trajectory:
        played = EpisodeRun(env, OracleAgent(), task).play()
        assert not played.error, played.error
        return played

    def _results(self, make: MakeEnv, reward: Reward) -> Iterator[EpisodeResult]:
        """Endings in the order in which an agent gets better, each while its session is there."""
        with make(reward=(recording := RecordingReward(reward)), scoring="exact") as env:
            for task in self._tasks(env):
                env.start_episode(task)
                env.take_action(Action("submit"))
                yield recording.results[-1]
                self._play_gold(env, task)
                yield from (recording.results[-1], _with_text(recording.results[-1], "nearly"))


def _with_text(result: EpisodeResult, text: str | None) -> EpisodeResult:
    """Return *result* where the last action has shown *text*, which was handed in as well."""
    turns: tuple[Turn, ...] = ()
    if text is not None:
        turns = (Turn(Action("execute", text), Observation(text)), Turn(Action("submit", text), Observation(text)))
    return replace(result, turns=turns, answer=text, handed_in=text or "")
