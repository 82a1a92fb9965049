"""The tokens of an episode as its server numbered them, for reinforcement learning.

They are never made again from text: what a tokenizer makes of a text is often not what the model wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from intercode.report.exports.conversation.answers import answers
from intercode.types import Trajectory
from intercode.types.conversation import Tokens


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch in which every prompt goes on where the last answer ended.

    `response_mask` is 1 for tokens that the model wrote and 0 for those put in between; `response_logprobs` has 0.0 for
    the latter, and is empty where the server told none.
    """

    prompt_ids: tuple[int, ...]
    response_ids: tuple[int, ...] = ()
    response_mask: tuple[int, ...] = ()
    response_logprobs: tuple[float, ...] = ()

    def go_on(self, tokens: Tokens) -> Segment | None:
        """Return this segment with another question and answer; None where that question does not begin with it."""
        known = self.prompt_ids + self.response_ids
        if tokens.prompt_ids[: len(known)] != known:
            return None
        between = tokens.prompt_ids[len(known) :]
        logprobs = (0.0,) * len(between) + tokens.logprobs if tokens.logprobs else ()
        return replace(
            self,
            response_ids=self.response_ids + between + tokens.ids,
            response_mask=self.response_mask + (0,) * len(between) + (1,) * len(tokens.ids),
            response_logprobs=self.response_logprobs + logprobs,
        )


def segments(episode: Trajectory) -> Iterator[Segment]:
    """Yield the segments of *episode*, in order; none where its server told no tokens."""
    current: Segment | None = None
    for answers_of_turn in answers(episode):
        for _, reply in answers_of_turn:
            tokens = reply.tokens
            if tokens is None or not tokens.prompt_ids or not tokens.ids:
                continue
            longer = current.go_on(tokens) if current else None
            if current and not longer:
                yield current
            current = longer or Segment(tokens.prompt_ids).go_on(tokens)
    if current:
        yield current
