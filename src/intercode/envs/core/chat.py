"""An episode as a conversation of a model that calls functions, and as JSON.

A part of `Env`, in a file of its own: it knows what `Env` keeps to itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from intercode.conversation import Json, Message, ToolCall
from intercode.models.core.wire import messages_to_json, tools_to_json
from intercode.types import Action, Turn, scores_as_dict
from intercode.worlds import tools as world_tools

if TYPE_CHECKING:
    from intercode.envs.base import Env

NO_OUTPUT = "(no output)"


def tools(env: Env) -> list[Json]:
    """See `Env.tools`."""
    return tools_to_json(world_tools.tools(env.world_spec))


def messages(env: Env) -> list[Json]:
    """See `Env.messages`."""
    turns = (message for at, turn in enumerate(env.history) for message in _turn(env, at, turn))
    return messages_to_json([*world_tools.opening(env.world_spec, env._first.text, shell=env.shell), *turns])


def read_call(env: Env, name: str, arguments: str) -> Action:
    """See `Env.read_call`."""
    world = env.world_spec
    return world_tools.read_call(world, ToolCall("", name, arguments), world_tools.tools(world))


def info_dict(info: Mapping[str, Any]) -> Json:
    """See `Env.info_dict`."""
    found = dict(info) | {"observation": info["observation"].as_dict()}
    return found | ({"scores": scores_as_dict(info["scores"])} if "scores" in info else {})


def _turn(env: Env, at: int, turn: Turn) -> Iterator[Message]:
    """A call and what it did; what was no call is an empty answer, and what was said to that."""
    shown = turn.observation.text.rstrip("\n") or NO_OUTPUT
    call = world_tools.write_call(env.world_spec, turn.action, f"call_{at}")
    yield Message("assistant", turn.thought, () if call is None else (call,))
    yield Message("user", shown) if call is None else Message("tool", shown, tool_call_id=call.id)
