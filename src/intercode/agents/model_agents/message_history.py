"""A conversation as it grows, and the rule for one that has grown too long."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from intercode.types.conversation import Message

LEFT_OUT = "(left out: the conversation had grown too long)"
SHORTEST = 200
"""Characters below which the last observation is not cut any more."""


@dataclass
class MessageHistory:
    """Messages, of which some are observations.

    With a *limit* (the paper's dialogue limit) a question is the opening and the last *limit* messages. Where a model
    can still not read it, `forget` shortens it: first the older half of the observations goes, and so on until only the
    last is there; then half of that, and so on. Instructions, the query and what the model said always stay.
    """

    limit: int = 0
    opening: int = 0
    """Messages that always stay: instructions, demonstrations and the query."""

    messages: list[Message] = field(default_factory=list)
    observed: list[int] = field(default_factory=list)
    """Where in `messages` observations stand that are still whole."""

    def add(self, message: Message, *, is_observation: bool = False) -> None:
        """One more message."""
        if is_observation:
            self.observed.append(len(self.messages))
        self.messages.append(message)

    def question(self) -> tuple[Message, ...]:
        """Return what the model is to be asked next."""
        opening, rest = self.messages[: self.opening], self.messages[self.opening :]
        if self.limit and len(rest) > self.limit:
            rest = rest[-self.limit :]
            while rest and rest[0].role == "tool":  # the answer to a call that is not there any more
                rest = rest[1:]
        return (*opening, *rest)

    def forget(self) -> bool:
        """Shorten it by the rule above; False where nothing is left to leave out."""
        if len(self.observed) > 1:
            old = self.observed[: len(self.observed) // 2]
            self.observed = self.observed[len(old) :]
            for at in old:
                self._put(at, LEFT_OUT)
            return True
        if not self.observed or len(self.messages[self.observed[0]].text) <= SHORTEST:
            return False
        text = self.messages[self.observed[0]].text
        self._put(self.observed[0], truncate_messages(text, len(text) // 2))
        return True

    def _put(self, at: int, text: str) -> None:
        self.messages[at] = replace(self.messages[at], text=text)


def truncate_messages(text: str, limit: int) -> str:
    """Return *text*, or its beginning and its end where it is longer than *limit* characters (0: any length)."""
    if not limit or len(text) <= limit:
        return text
    head = limit * 2 // 3
    return (
        f"{text[:head]}\n… ({len(text) - limit} characters are left out here) …\n{text[len(text) - (limit - head) :]}"
    )
