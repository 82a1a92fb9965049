"""One episode, from reset to ending."""

from __future__ import annotations

from typing import cast

import pytest
from toy_world import ToyAgent, ToyDataset, toy_env

from intercode.agents.oracle import OracleAgent
from intercode.errors import BadDataError, InterruptedRunError
from intercode.runs.episode import EpisodeRun
from intercode.types import Action, Observation, Trajectory

TASK = ToyDataset()[0]


def play(*moves: str, then: str = "submit", turns: int = 5) -> Trajectory:
    return EpisodeRun(
        toy_env(turns=turns), ToyAgent({TASK.id: list(moves)}, then), TASK, name="toy", seed=9, repeat=2
    ).play()


def test_a_submitted_episode_is_judged() -> None:
    episode = play("say 1", "say 0")
    assert episode.status == "submitted"
    assert [turn.action for turn in episode.turns] == [
        Action("execute", "say 1"),
        Action("execute", "say 0"),
        Action("submit"),
    ]
    assert episode.success("exact")
    assert episode.value("paper") == 1.0


def test_it_holds_everything_to_see_it_by() -> None:
    episode = play("say 0")
    assert (episode.task, episode.agent, episode.seed, episode.repeat) == (TASK.view(), "toy", 9, 2)
    assert episode.image.startswith("toy@")
    assert [turn.thought for turn in episode.turns] == ["0 to go", "0 to go"]
    assert [turn.state_hash for turn in episode.turns] == ["1:0", "1:0"]
    assert set(episode.phases) == {"reset", "agent", "world"}
    assert episode.seconds >= sum(episode.phases.values()) > 0


def test_out_of_turns_it_is_truncated_and_judged() -> None:
    episode = play(then="say 7", turns=2)
    assert episode.status == "truncated"
    assert episode.value("paper") == 0.34


def test_a_skipped_episode_is_not_judged() -> None:
    episode = play("skip")
    assert (episode.status, episode.scores) == ("skipped", None)


def test_a_failing_machine_makes_an_error_and_never_a_reward() -> None:
    episode = play("say 0", "break")
    assert (episode.status, episode.scores) == ("error", None)
    assert episode.error == "SandboxError: the toy is broken"
    assert len(episode.turns) == 1


def test_a_bug_of_ours_crashes() -> None:
    with pytest.raises(ZeroDivisionError):
        play("crash")


def test_the_oracle_gets_the_gold() -> None:
    assert EpisodeRun(toy_env(), OracleAgent(), TASK).play().success("exact")


def test_whoever_looks_on_can_stop_it_between_turns() -> None:
    def stop(turns: int) -> None:
        if turns == 1:
            raise InterruptedRunError("enough")

    episode = EpisodeRun(toy_env(), ToyAgent({TASK.id: ["say 1", "crash"]}), TASK, between=stop)
    with pytest.raises(InterruptedRunError):
        episode.play()
    assert len(episode.turns) == 1


class OwnAgent(ToyAgent):
    """A user's own, which gives whatever it was made with."""

    def __init__(self, gives: object) -> None:
        super().__init__()
        self.gives = gives

    def act(self, observation: Observation, reward: float) -> Action:
        return cast("Action", self.gives)


@pytest.mark.parametrize(
    "gives",
    [None, "submit", Action("dance"), Action("execute", 5), Action("execute", b"ls"), Action(["submit"])],  # type: ignore[arg-type]
    ids=repr,
)
def test_an_agent_that_gives_no_action_is_told_so(gives: object) -> None:
    """One of an unknown kind was run, and stored as an episode that nobody could read again."""
    with pytest.raises(BadDataError, match=r"^the agent own.py: act\(\) gave .*: expected Action\(KIND, TEXT\)"):
        EpisodeRun(toy_env(), OwnAgent(gives), TASK, name="own.py").play()


def test_an_environment_takes_nothing_but_actions() -> None:
    with toy_env() as env:
        env.start_episode(TASK)
        with pytest.raises(BadDataError, match=r"take_action\(\) gave 'say 0'"):
            env.take_action("say 0")  # type: ignore[arg-type]
