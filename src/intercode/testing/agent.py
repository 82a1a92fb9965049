"""The contract of an agent: subclass it, give the fixtures, inherit the tests."""

from __future__ import annotations

import pytest

from intercode import registry
from intercode.agents.base import Agent
from intercode.errors import UserError
from intercode.types import Action, Observation, TaskView

ODD_OBSERVATIONS = (
    Observation(""),
    Observation("\x00\ufffd\ud800 not quite text\r\n"),
    Observation("x" * 1_000_000, exit_code=137, truncated=True),
    Observation("Command timed out", timed_out=True),
    Observation("bash: submit: command not found\n", exit_code=127),
)
"""What an agent must be able to look at without falling over."""


class AgentContract:
    """What every agent keeps to. Give `agent`, and `task` (with `gold`) where yours plays only some.

    `name` is what the command line calls it; leave it empty for an agent that is no plug-in.
    """

    name: str = ""
    turns: int = 20

    @pytest.fixture
    def agent(self) -> Agent:
        """Provide an agent ready for its first episode."""
        raise NotImplementedError("give a fixture called `agent`")

    @pytest.fixture
    def task(self) -> TaskView:
        """Provide a task that it can play."""
        return TaskView("contract/1", "Say hi.", "bash", difficulty="easy")

    @pytest.fixture
    def gold(self) -> str:
        """Provide the answer to `task`, for agents that may see it."""
        return "echo hi"

    def play(self, agent: Agent, task: TaskView, gold: str, observation: Observation) -> list[Action]:
        """One episode in a world where everything looks like *observation*, until it hands in, gives up, or `turns`."""
        agent.reset(task, seed=7, gold=gold if agent.sees_gold else None)
        actions = [agent.act(Observation(task.query), 0.0)]
        while actions[-1].kind == "execute" and len(actions) < self.turns:
            actions.append(agent.act(observation, 0.0))
        return actions

    def test_it_is_found_under_its_name(self, agent: Agent) -> None:
        """A plug-in's file name is its name."""
        if self.name:
            assert registry.find("agents", self.name) is type(agent)

    def test_an_unknown_option_is_a_user_error(self, agent: Agent) -> None:
        """A mistyped option is refused, not ignored."""
        with pytest.raises(UserError, match="no_such_option"):
            type(agent)(no_such_option="1")

    def test_every_answer_is_an_action(self, agent: Agent, task: TaskView, gold: str) -> None:
        """Nothing but `Action` comes out, and no code that is empty and no code at all."""
        actions = self.play(agent, task, gold, Observation("ok\n", exit_code=0))
        assert all(isinstance(action, Action) and isinstance(action.text, str) for action in actions)

    def test_reset_begins_anew(self, agent: Agent, task: TaskView, gold: str) -> None:
        """Two episodes with the same seed and the same observations are the same."""
        calm = Observation("ok\n", exit_code=0)
        assert self.play(agent, task, gold, calm) == self.play(agent, task, gold, calm)

    @pytest.mark.parametrize("observation", ODD_OBSERVATIONS, ids=range(len(ODD_OBSERVATIONS)))
    def test_odd_observations_do_no_harm(
        self, agent: Agent, task: TaskView, gold: str, observation: Observation
    ) -> None:
        """Whatever a command printed, the next act gives an action."""
        assert all(isinstance(action, Action) for action in self.play(agent, task, gold, observation))

    def test_its_thought_is_text(self, agent: Agent, task: TaskView, gold: str) -> None:
        """The thought goes into the trajectory as it is."""
        self.play(agent, task, gold, Observation(""))
        assert isinstance(agent.thought, str)

    def test_it_plays_without_the_gold_unless_it_says_otherwise(self, agent: Agent, task: TaskView) -> None:
        """Only agents with `sees_gold` may need it, and even they must stand a task that has none."""
        agent.reset(task, seed=7, gold=None)
        assert isinstance(agent.act(Observation(task.query), 0.0), Action)

    def test_it_accepts_a_task_that_it_can_play(self, agent: Agent, task: TaskView) -> None:
        """The check at the door lets the contract's own task through."""
        agent.check([task])
