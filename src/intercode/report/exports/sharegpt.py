"""ShareGPT's format: JSON lines of `{"conversations": [{"from": …, "value": …}]}`, as LLaMA-Factory and Axolotl read.

`from` is `system`, `human`, `gpt`, `function_call` or `observation`. Reward, success and task stand beside the
conversation, where those readers let further columns pass; `weight` is Axolotl's, 0 for what is not to be learnt.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from intercode.report.export import Export, RunData, rewards, write_lines
from intercode.report.exports.conversation.messages import TrainingMessage, conversations, tools_of
from intercode.types import Trajectory
from intercode.types.conversation import ToolCall
from intercode_sandbox.util.text import pluralize

SPEAKERS = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}


def write(material: RunData, path: Path) -> str:
    """Return a line for each conversation."""
    lines = (
        {
            "id": f"{material.name}/{episode.task.id}/{episode.repeat}/{number}",
            "conversations": [part for line in conversation for part in parts(line)],
            **_tools(episode),
            "task": episode.task.id,
            **rewards(episode, material.scoring),
        }
        for episode in material.episodes
        for number, conversation in enumerate(conversations(episode))
    )
    return pluralize(write_lines(path, lines), "conversation")


def parts(line: TrainingMessage) -> list[dict[str, Any]]:
    """Return one message, a tool's call as one of its own."""
    message = line.message
    weight = {"weight": int(line.learn)} if message.role == "assistant" else {}
    called = [{"from": "function_call", "value": _call(call), **weight} for call in message.tool_calls]
    if called and not message.text:
        return called
    return [{"from": SPEAKERS[message.role], "value": message.text, **weight}, *called]


def _tools(episode: Trajectory) -> dict[str, str]:
    """LLaMA-Factory reads them as the text of a JSON list."""
    tools = [each["function"] for each in tools_of(episode)]
    return {"tools": json.dumps(tools, ensure_ascii=False)} if tools else {}


def _call(call: ToolCall) -> str:
    return json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)


EXPORT = Export(write, ".jsonl", with_errors=False)
