"""An episode as a conversation of a model that calls functions, and as JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from intercode.conversation import Json, Message, ToolCall
from intercode.models.core.chat_protocol import messages_to_json, tools_to_json
from intercode.types import Action, Observation, Turn, scores_as_dict
from intercode.worlds import WorldSpec
from intercode.worlds import tools as world_tools

NO_OUTPUT = "(no output)"


class Chat(ABC):
    """The part of `Env` for models, and for programs that speak JSON."""

    world_spec: ClassVar[WorldSpec]
    shell: str
    history: list[Turn]
    _first: Observation

    def tools(self) -> list[Json]:
        """What can be done here as functions, in OpenAI's form: the world's action, `submit` and `skip`."""
        return tools_to_json(world_tools.tools(self.world_spec))

    def messages(self) -> list[Json]:
        """The episode so far as OpenAI's chat messages: instructions, the query, and each action as a call of a tool.

        Raises:
            ResetNeeded: If no episode was begun.
        """
        self._require_task()
        opening = world_tools.first_messages(self.world_spec, self._first.text, shell=self.shell)
        turns = (message for at, turn in enumerate(self.history) for message in _turn(self.world_spec, at, turn))
        return messages_to_json([*opening, *turns])

    def read_call(self, name: str, arguments: str) -> Action:
        """The action that a call of one of `tools` asks for; *arguments* is the JSON text that a model wrote.

        A call that cannot be made is an action of the kind `nothing`, whose text says why.
        """
        offered = world_tools.tools(self.world_spec)
        return world_tools.read_call(self.world_spec, ToolCall("", name, arguments), offered)

    @staticmethod
    def info_dict(info: dict[str, Any]) -> Json:
        """*info*, as `reset` and `step` give it, as JSON (`InfoDict` in the JSON Schema)."""
        found = info | {"observation": info["observation"].as_dict()}
        return found | ({"scores": scores_as_dict(info["scores"])} if "scores" in info else {})

    @abstractmethod
    def _require_task(self) -> None:
        """Refuse, with ResetNeeded, where no episode was begun."""


def _turn(world: WorldSpec, at: int, turn: Turn) -> Iterator[Message]:
    """A call and what it did; what was no call is an empty answer, and what was said to that."""
    shown = turn.observation.text.rstrip("\n") or NO_OUTPUT
    call = world_tools.write_call(world, turn.action, f"call_{at}")
    yield Message("assistant", turn.thought, () if call is None else (call,))
    yield Message("user", shown) if call is None else Message("tool", shown, tool_call_id=call.id)
