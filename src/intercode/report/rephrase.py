"""An episode in the words of an agent that asks a model: as it would stand there if that agent had played it.

For training on golds. A model has to be trained on the very conversations that it will see when it is evaluated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from intercode import registry
from intercode.agents.model_agents.model_agent import ModelAgent
from intercode.errors import UserError
from intercode.types import Action, Observation, Trajectory, Turn
from intercode.types.conversation import Message, Reply, Tool


class _Prompter:
    """A model that says what it is given, one reply after another."""

    def __init__(self) -> None:
        self.replies = deque[Message]()

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        """Return the next reply."""
        if not self.replies:
            raise _NothingToSayError
        said = self.replies.popleft()
        return Reply(said.text, said.tool_calls)


class _NothingToSayError(Exception):
    """The agent asks for more than the episode has."""


class Rephraser:
    """Turns episodes into those of an agent; one of several episodes after another."""

    def __init__(self, agent: str, scoring: str, shell: Literal["fresh", "persistent"] = "fresh") -> None:
        """Find the agent.

        Args:
            agent: Its name or file.
            scoring: What an agent that sees rewards is shown.
            shell: What stays between commands.

        Raises:
            UserError: If there is no such agent, or it asks no model, or tries out branches.
        """
        kind = registry.find("agents", agent)
        if not issubclass(kind, ModelAgent) or kind.wants_branches:
            raise UserError(f"--as {agent}: choose an agent that asks a model and tries nothing out, such as react")
        self._name, self._scoring, self._model = agent, scoring, _Prompter()
        self._agent: ModelAgent = kind(model=self._model)
        self._agent.shell = shell

    def rephrase(self, episode: Trajectory) -> Trajectory | None:
        """Return *episode* with the agent's prompts, replies and calls; None if the agent could not have played it."""
        agent = self._agent
        agent.check([episode.task])
        agent.reset(episode.task, seed=0)
        said = agent.demonstrate(episode)
        self._model.replies = deque(message for message in said if message.role == "assistant")
        shown, reward, turns = Observation(episode.task.query), 0.0, list[Turn]()
        for turn in episode.turns:
            if turn.action.kind == "submit":
                reward = episode.value(self._scoring) or 0.0
            try:
                action = agent.act(shown, reward)
            except _NothingToSayError:
                return None
            if not _is_alike(action, turn.action):
                return None
            turns.append(replace(turn, thought=agent.thought, calls=agent.calls))
            shown, reward = turn.observation, turn.reward
        return replace(episode, agent=self._name, turns=tuple(turns))


def _is_alike(action: Action, taken: Action) -> bool:
    """Return whether *action* does what was done; code may have lost blank lines at its ends in a fence."""
    return (action.kind, action.text.strip()) == (taken.kind, taken.text.strip())
