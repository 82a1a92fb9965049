"""A world's actions as functions that a model calls: how they are described, and what a call of them means."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from intercode.errors import BadDataError, UserError
from intercode.types import Action
from intercode.types.conversation import Message, Tool, ToolCall
from intercode.types.validation import check_depth
from intercode.world_specs import prompts
from intercode.world_specs.spec import WorldSpec

SKIP = Tool("skip", "Give up: the episode ends, and is not judged.", {"type": "object", "properties": {}})


def tools(world: WorldSpec) -> tuple[Tool, ...]:
    """Return all that an agent can do in *world*: its action, `submit` and `skip`.

    What is said of the first two is what the agent `tool-use` says; a world without prompts has general texts.
    """
    try:
        prompt = prompts.find("tool_use", world.name)
        action, submit = prompt.part("action"), prompt.part("submit")
    except UserError:
        action = f"Run {world.code or 'code'} and see what it shows, or its error."
        submit = "Hand in: the episode ends and is judged as things stand."
    return action_tool(world, action), submit_tool(world, submit), SKIP


def first_messages(world: WorldSpec, query: str, *, shell: str = "") -> tuple[Message, ...]:
    """Return what a model that calls tools is told first: instructions, where *world* has prompts, and the *query*."""
    try:
        prompt = prompts.find("tool_use", world.name)
    except UserError:
        return (Message("user", query),)
    system = prompt.part("system", shell=prompts.shell(shell))
    return Message("system", system), Message("user", prompt.part("first", query=query))


def action_tool(world: WorldSpec, description: str) -> Tool:
    """Return the function that runs code in *world*."""
    return _tool(world.tool, description, {world.tool_argument: {"type": "string"}})


def submit_tool(world: WorldSpec, description: str) -> Tool:
    """Return the function that hands in; it takes an answer where *world* wants one."""
    return _tool("submit", description, {"answer": {"type": "string"}} if world.answer else {})


def read_call(world: WorldSpec, call: ToolCall, offered: Sequence[Tool]) -> Action:
    """Return the action that *call* asks for, of those *offered*; `nothing` for a call that cannot be made, and why."""
    arguments = _object(call.arguments)
    if arguments is None:
        return Action("nothing", f"The arguments of {call.name} are no JSON object: nothing was run.")
    names = [tool.name for tool in offered]
    if call.name == "submit" and "submit" in names:
        return Action("submit", _text(arguments.get("answer")))
    if call.name == "skip" and "skip" in names:
        return Action("skip")
    code = _text(arguments.get(world.tool_argument))
    if call.name != world.tool or not code.strip():
        others = ", or ".join(name for name in names if name != world.tool)
        return Action(
            "nothing", f'Nothing was run: call {world.tool} with {{"{world.tool_argument}": …}}, or {others}.'
        )
    return Action("execute", code)


def write_call(world: WorldSpec, action: Action, id: str) -> ToolCall | None:
    """Return the call that asks for *action*; None for `nothing`, which is no call."""
    if action.kind == "nothing":
        return None
    if action.kind == "execute":
        return ToolCall(id, world.tool, json.dumps({world.tool_argument: action.text}))
    answer = {"answer": action.text} if action.kind == "submit" and world.answer else {}
    return ToolCall(id, action.kind, json.dumps(answer))


def _tool(name: str, description: str, properties: dict[str, Any]) -> Tool:
    required = sorted(properties)
    return Tool(name, description, {"type": "object", "properties": properties, "required": required})


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text or "{}")
        check_depth("arguments", found)
    except (ValueError, RecursionError, BadDataError):
        return None
    return found if isinstance(found, dict) else None


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
