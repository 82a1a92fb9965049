"""An episode as the conversations it was: what to learn from, and what to leave out of the loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from intercode import world_specs
from intercode.models.core.chat_protocol import tools_to_json
from intercode.report.exports.conversation.answers import Answer, answers
from intercode.types import Action, Trajectory, Turn
from intercode.types.conversation import Message, as_message


@dataclass(frozen=True, slots=True)
class TrainingMessage:
    """A message; `learn` where it is the agent's own word in this episode, and so part of the loss.

    Answers in few-shot demonstrations, and those that an earlier conversation has already, are not.
    """

    message: Message
    learn: bool


Conversation = tuple[TrainingMessage, ...]


def conversations(episode: Trajectory) -> Iterator[Conversation]:
    """Return the conversations of *episode*, each ending with the agent's last word in it.

    An agent without a model had one: it is told the query and each observation, and answers with code in a fence, or
    with `submit` or `skip`. A model has as many as the agent began: one, unless it dropped something from the middle.
    """
    answered = [answer for answers_of_turn in answers(episode) for answer in answers_of_turn]
    return (
        _model_conversations(answered) if answered else iter([_action_conversation(episode)] if episode.turns else [])
    )


def tools_of(episode: Trajectory) -> list[dict[str, Any]]:
    """Return the functions that the model of *episode* could call, as its server was told them; most had none."""
    tools = {tool.name: tool for turn in episode.turns for call in turn.calls for tool in call.tools}
    return tools_to_json(list(tools.values()))


def code_block(action: Action, world: str) -> str:
    """Return an action as a reply: code in a fence, or a word."""
    return f"```{world_specs.find(world).language}\n{action.text}\n```" if action.kind == "execute" else str(action)


def _model_conversations(answered: list[Answer]) -> Iterator[Conversation]:
    lines: list[TrainingMessage] = []
    for question, reply in answered:
        common = sum(1 for _ in takewhile(lambda pair: pair[0].message == pair[1], zip(lines, question, strict=False)))
        if common < len(lines):
            yield tuple(lines)
            lines = [TrainingMessage(line.message, learn=False) for line in lines[:common]]
        lines += [TrainingMessage(message, learn=False) for message in question[common:]]
        lines.append(TrainingMessage(as_message(reply), learn=True))
    yield tuple(lines)


def _action_conversation(episode: Trajectory) -> Conversation:
    lines = [TrainingMessage(Message("user", episode.task.query), learn=False)]
    for place, turn in enumerate(episode.turns):
        lines.append(TrainingMessage(Message("assistant", _reply(turn, episode.task.world)), learn=True))
        if place + 1 < len(episode.turns):
            lines.append(TrainingMessage(Message("user", turn.observation.text), learn=False))
    return tuple(lines)


def _reply(turn: Turn, world: str) -> str:
    code = code_block(turn.action, world)
    return f"{turn.thought}\n\n{code}" if turn.thought else code
