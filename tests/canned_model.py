"""A model that says what it is given, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Sequence

from intercode.types.conversation import Message, Reply, Tool


class CannedModel:
    """Gives *replies*, one after the other."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[list[Message]] = []
        self.tools: list[Tool] = []

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        """See `ChatModel.complete`."""
        self.asked.append(list(messages))
        self.tools = list(tools)
        return self.replies.pop(0)
