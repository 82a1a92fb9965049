"""A model's answers that an episode went on with: of candidates for one turn only the one that was taken counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice

from intercode.agents import parsers
from intercode.types import Trajectory, Turn
from intercode.types.conversation import Message, Reply, conversations

Answer = tuple[tuple[Message, ...], Reply]
"""A whole question, and what was answered."""


def answers(episode: Trajectory) -> Iterator[list[Answer]]:
    """For each turn of *episode* the questions that led to its action, in order.

    Where the very same was asked several times (`tree-search`), only the answer that became the action is there: what
    was tried and rejected is not what the agent did.
    """
    every = conversations(call for turn in episode.turns for call in turn.calls)
    for turn in episode.turns:
        asked = islice(every, len(turn.calls))
        yield [
            (question, matching_reply([reply for _, reply in group], turn, episode.task.world))
            for question, group in groupby(asked, key=lambda answer: answer[0])
        ]


def matching_reply(replies: list[Reply], turn: Turn, world: str) -> Reply:
    """Return the first of *replies* that asks for the action of *turn*; the last where none can be told to."""
    if len(replies) == 1:
        return replies[0]
    read = parsers.choose("default", "tree_search", world)
    return next((reply for reply in replies if read(reply.text).action == turn.action), replies[-1])
