"""The modern way: the world's action is a function that the model calls."""

from __future__ import annotations

from typing import ClassVar

from intercode.agents.model_agents.model_agent import ModelAgent
from intercode.agents.parsers.default import without_thinking
from intercode.types import Action, Observation, TaskView, Trajectory
from intercode.types.conversation import Message, Reply, ToolCall
from intercode.world_specs.tools import action_tool, read_call, submit_tool, write_call

ONE_AT_A_TIME = "Not run: only the first call of a message is. Look at what it did, then call again."


HANDED_IN = "Handed in."
"""What is shown of a `submit` in a demonstration: each call needs an answer."""


class ToolUseAgent(ModelAgent):
    """Offers two functions, the world's action and `submit`. Of several calls at once it makes the first.

    A call that cannot be made (no such function, arguments that are no JSON) is a turn in which nothing is run, and the
    model is told why. So is a reply without a call.
    """

    strategy: ClassVar[str] = "tool_use"
    parts: ClassVar[tuple[str, ...]] = ("system", "first", "action", "submit", "no code")

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin with the world's functions."""
        super().reset(task, seed=seed, gold=gold)
        self._tools = (
            action_tool(self.world, self.prompt.part("action")),
            submit_tool(self.world, self.prompt.part("submit")),
        )
        self._pending: tuple[ToolCall, ...] = ()

    def decide(self, observation: Observation, reward: float) -> Action:
        """Return the call that the model makes next."""
        if not self.dialogue.messages:
            self.open(observation.text)
        elif self._pending:
            self._answer(observation)
        else:
            self.dialogue.add(Message("user", observation.text))
        reply = self.ask(self._tools)
        self._remember(reply)
        return self._action(reply)

    def demonstrate(self, episode: Trajectory) -> list[Message]:
        """Return *episode* as calls and what they did, up to its last call."""
        messages = [Message("user", self.prompt.part("first", query=episode.task.query))]
        for number, turn in enumerate(self.steps_to_show(episode), 1):
            call = write_call(self.world, turn.action, f"example_{number}")
            shown = HANDED_IN if turn.action.kind == "submit" else self.show_observation(turn.observation)
            messages.append(Message("assistant", turn.thought, () if call is None else (call,)))
            messages.append(Message("tool", shown, tool_call_id=f"example_{number}"))
        return messages

    def _answer(self, observation: Observation) -> None:
        first, *others = self._pending
        self.dialogue.add(Message("tool", self.observe(observation), tool_call_id=first.id), is_observation=True)
        for call in others:
            self.dialogue.add(Message("tool", ONE_AT_A_TIME, tool_call_id=call.id))

    def _remember(self, reply: Reply) -> None:
        self._pending = reply.tool_calls
        text = without_thinking(reply.text)
        self._thought = "\n\n".join(filter(None, (reply.reasoning.strip(), text)))
        self.dialogue.add(Message("assistant", text, reply.tool_calls))

    def _action(self, reply: Reply) -> Action:
        call = reply.tool_calls[0] if reply.tool_calls else None
        return self.take(reply, None if call is None else read_call(self.world, call, self._tools))
