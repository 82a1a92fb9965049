"""Models without a network: each answers by a function of the messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageTool, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver._task_state import sample_state

from intercode.integrations.inspect.episodes import find_episode

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


def gold_player() -> Model:
    """Plays the gold of the episode that it is asked in, and submits."""

    def play(messages: list[ChatMessage]) -> ModelOutput:
        env = find_episode(sample_state()).env
        gold = env.task.gold or ""
        if env.world_spec.gold_is_answer:
            return call("submit", answer=gold)
        if any(isinstance(message, ChatMessageTool) for message in messages):
            return call("submit", answer="")
        return call(env.world_spec.tool, **{env.world_spec.tool_argument: gold})

    return model(play)


def submitter() -> Model:
    """Submits at once."""
    return model(lambda messages: call("submit", answer="done"))
