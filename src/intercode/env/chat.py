"""An episode as a conversation of a model that calls functions, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from intercode.env.episode import Episode
from intercode.models.core.chat_protocol import messages_to_json, tools_to_json
from intercode.types import Action, Turn, scores_as_dict
from intercode.types.conversation import Json, Message, ToolCall
from intercode.world_specs import WorldSpec
from intercode.world_specs import tools as world_tools

NO_OUTPUT = "(no output)"


def tools(world: WorldSpec) -> list[Json]:
    """Return what can be done in a world as functions, in OpenAI's form: its action, `submit` and `skip`."""
    return tools_to_json(world_tools.tools(world))


def messages(world: WorldSpec, episode: Episode, *, shell: str = "") -> list[Json]:
    """Return an episode as OpenAI's chat messages: instructions, the query, and each action as a call of a tool."""
    opening = world_tools.first_messages(world, episode.query.text, shell=shell)
    turns = (message for at, turn in enumerate(episode.turns) for message in _turn(world, at, turn))
    return messages_to_json([*opening, *turns])


def read_call(world: WorldSpec, name: str, arguments: str) -> Action:
    """Return the action that a call of one of `tools` asks for; *arguments* is the JSON text that a model wrote.

    A call that cannot be made is an action of the kind `nothing`, whose text says why.
    """
    return world_tools.read_call(world, ToolCall("", name, arguments), world_tools.tools(world))


def info_dict(info: dict[str, Any]) -> Json:
    """Return *info*, as `Env.reset` and `Env.step` give it, as JSON (`InfoDict` in the JSON Schema)."""
    found = info | {"observation": info["observation"].as_dict()}
    return found | ({"scores": scores_as_dict(info["scores"])} if "scores" in info else {})


def _turn(world: WorldSpec, at: int, turn: Turn) -> Iterator[Message]:
    """Yield a call and what it did; what was no call is an empty answer, and what was said to that."""
    shown = turn.observation.text.rstrip("\n") or NO_OUTPUT
    call = world_tools.write_call(world, turn.action, f"call_{at}")
    yield Message("assistant", turn.thought, () if call is None else (call,))
    yield Message("user", shown) if call is None else Message("tool", shown, tool_call_id=call.id)
