"""OpenAI's chat format for fine-tuning: JSON lines of `{"messages": […]}`, with `tools` beside where there were any.

`weight` is its loss mask: 1 for what the agent said in the episode, 0 for answers in demonstrations. There is no room
for rewards: choose by `--min-reward`. As described in OpenAI's guide to supervised fine-tuning.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from intercode.report.export import Export, RunData, write_lines
from intercode.report.exports.conversation.messages import TrainingMessage, conversations, tools_of
from intercode_sandbox.util.text import pluralize


def write(material: RunData, path: Path) -> str:
    """Return a line for each conversation."""
    lines = (
        {"messages": [message(line) for line in conversation]} | ({"tools": tools} if tools else {})
        for episode in material.episodes
        for tools in [tools_of(episode)]
        for conversation in conversations(episode)
    )
    return pluralize(write_lines(path, lines), "conversation")


def message(line: TrainingMessage) -> dict[str, Any]:
    """Return one message; an answer that only calls tools has no content."""
    source = line.message
    if source.role == "tool":
        return {"role": "tool", "tool_call_id": source.tool_call_id, "content": source.text}
    if source.role != "assistant":
        return {"role": source.role, "content": source.text}
    called = [
        {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
        for each in source.tool_calls
    ]
    content = source.text or (None if called else "")
    return {"role": "assistant", "content": content, "weight": int(line.learn)} | (
        {"tool_calls": called} if called else {}
    )


EXPORT = Export(write, ".jsonl", with_errors=False)
