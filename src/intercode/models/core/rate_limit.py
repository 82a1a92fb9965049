"""How much is asked in a minute: questions wait here until a provider's limits leave room for them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Self

from intercode.models.core import deadline
from intercode.models.core.sampling import whole

if TYPE_CHECKING:
    from pyrate_limiter import Limiter

MINUTE = 60.0

LETTERS = 4
"""Characters of a token, about: providers estimate questions so as well."""

ANSWER = 500
"""Tokens that an answer is taken to have where `max_tokens` does not say."""


class RateLimit:
    """At most so many *requests* and *tokens* in *seconds*; None for any number. Safe for many threads.

    It is a token bucket, as providers have: what was not used leaves room for as much at once, and it fills steadily.
    Tokens are estimated before a question is put: a quarter of its characters, and `max_tokens`.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ("requests_per_minute", "tokens_per_minute")
    """What it is taken from."""

    def __init__(self, requests: int | None = None, tokens: int | None = None, *, seconds: float = MINUTE) -> None:
        self._most = tokens
        self._requests, self._tokens = _limiter(requests, seconds), _limiter(tokens, seconds)

    @classmethod
    def pop_from(cls, options: dict[str, str]) -> Self:
        """Take its options out of *options*.

        Raises:
            UserError: If one of them has an impossible value.
        """
        return cls(*(whole(options, name) for name in cls.OPTIONS))

    def wait(self, characters: int, max_tokens: int | None) -> None:
        """Wait until a question of so many *characters* may be put, and count it.

        Raises:
            AnswerTooLateError: If the deadline is over before that.
        """
        if self._requests is not None:
            _acquire(self._requests, 1)
        if self._tokens is not None and self._most is not None:
            tokens = characters // LETTERS + (max_tokens or ANSWER)
            _acquire(self._tokens, min(self._most, tokens))  # one that is larger would wait for ever


def _acquire(limiter: Limiter, weight: int) -> None:
    left = deadline.seconds_left()
    limiter.try_acquire(weight=weight, timeout=left if math.isfinite(left) else -1)
    deadline.check_time()


def _limiter(most: int | None, seconds: float) -> Limiter | None:
    if most is None:
        return None
    from pyrate_limiter import Limiter, Rate, SingleBucketFactory, StateBucket

    bucket = StateBucket([Rate(most, round(seconds * 1000))])
    return Limiter(SingleBucketFactory(bucket, schedule_leak=False))  # the schedule would be a thread without an end
