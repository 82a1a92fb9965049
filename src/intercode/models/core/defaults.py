"""How answers are drawn where nobody said: a bound for their length, and texts that end them.

Both are ours and not the user's, so a server that does not take one of them is asked without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from intercode.errors import ContextOverflowError, ModelError, RefusalError
from intercode.models.core.sampling import Sampling
from intercode.types.conversation import NO_USAGE, Reply

ANSWER = 1024
"""Tokens of an answer."""

REASONED = 16_384
"""Tokens of an answer and the reasoning before it."""

REASONERS = re.compile(
    r"(^|[/_.-])(o[134]|gpt-5|gpt-oss|r1|qwq|qwen3|magistral|gemini-(2\.5|3)|grok-[34])(?![a-z0-9])"
    r"|reason|think",
    re.IGNORECASE,
)
"""Names of models that reason before they answer. Others are found out by their first answer that is cut."""

NO_REASONING = re.compile(r"non-?(reason|think)|no-?think|instruct|coder", re.IGNORECASE)
"""Names of relatives of those that do not."""

OPEN_THOUGHT = re.compile(r"<think(?:ing)?>(?!.*</think)", re.DOTALL)
BOUND = re.compile(r"max_(completion_|output_|new_)?tokens", re.IGNORECASE)
STOP = re.compile(r"\bstop\b", re.IGNORECASE)


@dataclass
class Defaults:
    """Fills in what the user's *sampling* leaves open.

    Attributes:
        sampling: What the user said.
        stop: Texts that end an answer.
        reasons: Whether the model reasons before it answers: then the bound is `reasoned`, and no text ends it, since
            it would end the reasoning too. It becomes true when an answer is cut within its reasoning.
        reasoned: Tokens of an answer and its reasoning.
        is_bounded: Whether there is a bound at all.
    """

    sampling: Sampling
    stop: tuple[str, ...] = ()
    reasons: bool = False
    reasoned: int = REASONED
    is_bounded: bool = True

    def answer(self, ask: Callable[[Sampling], Reply]) -> Reply:
        """Return what *ask* gets, asked again where one of the defaults was in the way.

        What a thrown answer used is part of the reply's usage.

        Raises:
            ModelError: As *ask* does.
        """
        wasted, drawn = NO_USAGE, self._fill_in()
        while True:
            try:
                reply = ask(drawn)
            except RefusalError as error:
                error.usage = wasted = wasted + (error.usage or NO_USAGE)
                if not (error.is_cut and self._may_have_more(drawn)):
                    raise
            except ModelError as error:
                simpler = self._without_refused(drawn, error)
                if simpler == drawn:
                    raise
                drawn = simpler
                continue
            else:
                if not (is_cut_in_thought(reply) and self._may_have_more(drawn)):
                    return replace(reply, usage=wasted + reply.usage) if wasted.tokens else reply
                wasted += reply.usage
            self.reasons = True
            drawn = self._fill_in()

    def _may_have_more(self, drawn: Sampling) -> bool:
        """Return whether an answer *drawn* like this is bounded by us, as if the model did not reason."""
        return self.sampling.max_tokens is None and drawn.max_tokens == ANSWER

    def _fill_in(self) -> Sampling:
        """Return the user's sampling with our defaults."""
        bound = self.reasoned if self.reasons else ANSWER
        return replace(
            self.sampling,
            max_tokens=self.sampling.max_tokens or (bound if self.is_bounded else None),
            stop=self.sampling.stop or (() if self.reasons else self.stop),
        )

    def _without_refused(self, drawn: Sampling, error: ModelError) -> Sampling:
        """Return *drawn* without the default that *error* is about; the same where it is about none."""
        said = str(error)
        is_ours = drawn.max_tokens is not None and self.sampling.max_tokens is None
        if is_ours and isinstance(error, ContextOverflowError):  # room for an answer, but for none that long
            return replace(drawn, max_tokens=None)
        if is_ours and BOUND.search(said):
            self.is_bounded = False
            return replace(drawn, max_tokens=None)
        if drawn.stop and not self.sampling.stop and STOP.search(said):
            self.stop = ()
            return replace(drawn, stop=())
        return drawn


def reasons(name: str) -> bool:
    """Return whether a model called *name* is known to reason before it answers."""
    return bool(REASONERS.search(name)) and not NO_REASONING.search(name)


def is_cut_in_thought(reply: Reply) -> bool:
    """Return whether *reply* was cut, and its server tells that the model reasons."""
    has_thought = reply.reasoning or reply.usage.reasoning_tokens or OPEN_THOUGHT.search(reply.text)
    return reply.is_cut and bool(has_thought)
