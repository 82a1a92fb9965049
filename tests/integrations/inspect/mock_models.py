"""Models without a network: each answers by a function of the messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageTool, Model, ModelOutput, ModelUsage, get_model

from intercode.datasets.base import Dataset
from intercode.worlds import WorldSpec

Play = Callable[[list[ChatMessage]], ModelOutput]


def call(tool: str, **arguments: str) -> ModelOutput:
    """One call of a tool."""
    output = ModelOutput.for_tool_call("mockllm", tool, arguments)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def model(play: Play) -> Model:
    """A model that does what *play* says."""

    def answer(messages: list[ChatMessage], tools: Any, choice: Any, config: Any) -> ModelOutput:
        return play(messages)

    return get_model("mockllm/model", custom_outputs=answer)


def gold_player(dataset: Dataset, spec: WorldSpec) -> Model:
    """Plays the gold of the task whose query it reads, and submits."""
    golds = {task.query: task.gold or "" for task in dataset}

    def play(messages: list[ChatMessage]) -> ModelOutput:
        gold = golds[next(message.text for message in messages if message.role == "user")]
        if spec.gold_is_answer:
            return call("submit", answer=gold)
        if any(isinstance(message, ChatMessageTool) for message in messages):
            return call("submit", answer="done")
        return call(spec.tool, **{spec.tool_argument: gold})

    return model(play)


def submitter() -> Model:
    """Submits at once."""
    return model(lambda messages: call("submit", answer="done"))
