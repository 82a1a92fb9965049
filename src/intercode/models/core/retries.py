"""Asking again: what failed in passing is tried once more, later and later, as often as is sensible."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from itertools import count
from random import Random

from intercode.errors import ModelError
from intercode.models.core import deadline
from intercode.models.core.sampling import number, whole
from intercode.types.conversation import Reply
from intercode_sandbox.util.text import pluralize

LONGEST = 300.0
"""Seconds beyond which no server's word is waited for."""


class TransientError(ModelError):
    """A failure that may be gone the next time. `after` is the seconds that the server asks to wait, if it does."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


@dataclass(frozen=True, slots=True)
class Retries:
    """At most `tries` in all; before the second `wait` seconds, then twice as many each time, at most `most`.

    A quarter more or less, by chance, so that many that failed together do not come back together. Where the server
    says how long to wait (Retry-After) it is waited for, up to five minutes.
    """

    tries: int = 8
    wait: float = 1.0
    most: float = 60.0

    @classmethod
    def pop_from(cls, options: dict[str, str]) -> Retries:
        """Take the options `tries` and `wait` out of *options*.

        Raises:
            UserError: If one of them has an impossible value.
        """
        tries, wait = whole(options, "tries"), number(options, "wait")
        usual = cls()
        return cls(usual.tries if tries is None else tries, usual.wait if wait is None else wait)

    def answer(
        self, ask: Callable[[], Reply], *, seed: int | None, sleep: Callable[[float], None] = time.sleep
    ) -> Reply:
        """Return what *ask* returns in the end.

        Raises:
            AnswerTooLateError: If the deadline is over before that.
            ModelError: If all tries fail. Holds the last failure; errors other than `TransientError` go through at
                once.
        """
        chance = Random(seed)
        for tried in count(1):
            try:
                return replace(ask(), tries=tried)
            except TransientError as failure:
                if tried >= self.tries or (failure.after or 0.0) > LONGEST:
                    raise ModelError(f"{failure} (asked {pluralize(tried, 'time')})") from failure
                sleep(min(self.pause(tried, failure.after, chance), deadline.seconds_left()))
                deadline.check_time()
        raise AssertionError("counting ends nowhere")

    def pause(self, tried: int, after: float | None, chance: Random) -> float:
        """Seconds to wait after try number *tried*, where the server says to wait *after*."""
        if after is not None:
            return after
        return float(min(self.most, self.wait * 2 ** (tried - 1)) * chance.uniform(0.75, 1.25))


def seconds_until(text: str | None) -> float | None:
    """Return what a Retry-After header says: seconds, or a date; None where it says nothing that can be read."""
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
