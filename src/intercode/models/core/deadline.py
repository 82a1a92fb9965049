"""Until when questions to models must be answered: the end of their episode, and of the try that is under way."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from intercode.errors import AnswerTooLateError

_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)
"""On the monotonic clock, for this thread."""


@contextmanager
def answer_within(seconds: float) -> Iterator[None]:
    """Set the deadline of what is asked in this block *seconds* from now; an earlier one stands."""
    token = _deadline.set(min(_deadline.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _deadline.reset(token)


def seconds_left() -> float:
    """Return the seconds until the deadline: 0 when that is over, infinity where there is none."""
    return max(0.0, _deadline.get() - time.monotonic())


def check_time() -> None:
    """Raise an error if the deadline is over.

    Raises:
        AnswerTooLateError: If it is.
    """
    if not seconds_left():
        raise AnswerTooLateError("the model had not answered when the episode's time was over")


def end_late_bodies(library: Any) -> Any:
    """Return a hook for responses of *library* (httpx) that ends a body which goes on after the deadline.

    The library's own time limit begins anew with each byte, so a server that sends a blank now and then would never
    reach it.
    """

    class PunctualStream(library.SyncByteStream):  # type: ignore[misc]
        def __init__(self, stream: Any) -> None:
            self.stream = stream

        def __iter__(self) -> Iterator[bytes]:
            for chunk in self.stream:
                if not seconds_left():
                    raise library.ReadTimeout("the answer had not ended in time")
                yield chunk

        def close(self) -> None:
            self.stream.close()

    def hook(response: Any) -> None:
        response.stream = PunctualStream(response.stream)

    return hook
