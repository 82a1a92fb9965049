"""The modern way: the world's action is a function that the model calls."""

from __future__ import annotations

from typing import ClassVar

from intercode.agents.core.model_agent import ModelAgent
from intercode.agents.parsers.default import without_thinking
from intercode.conversation import Message, Reply, ToolCall
from intercode.types import Action, Observation, TaskView
from intercode.worlds.tools import action_tool, read_call, submit_tool

ONE_AT_A_TIME = "Not run: only the first call of a message is. Look at what it did, then call again."


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
        """The call that the model makes next."""
        if not self.dialogue.messages:
            self.open(observation.text)
        elif self._pending:
            self._answer(observation)
        else:
            self.dialogue.add(Message("user", observation.text))
        reply = self.ask(self._tools)
        self._remember(reply)
        return self._action(reply)

    def _answer(self, observation: Observation) -> None:
        first, *others = self._pending
        self.dialogue.add(
            Message("tool", self.show_observation(observation), tool_call_id=first.id), is_observation=True
        )
        for call in others:
            self.dialogue.add(Message("tool", ONE_AT_A_TIME, tool_call_id=call.id))

    def _remember(self, reply: Reply) -> None:
        self._pending = reply.tool_calls
        text = without_thinking(reply.text)
        self._thought = "\n\n".join(filter(None, (reply.reasoning.strip(), text)))
        self.dialogue.add(Message("assistant", text, reply.tool_calls))

    def _action(self, reply: Reply) -> Action:
        if not reply.tool_calls:
            return Action("nothing", self.prompt.part("no code"))
        return read_call(self.world, reply.tool_calls[0], self._tools)
