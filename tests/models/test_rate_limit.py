"""How fast questions may follow each other."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from intercode.models.core.rate_limit import RateLimit


def test_requests_wait_for_their_turn_in_any_number_of_threads() -> None:
    limit = RateLimit(requests=5, seconds=0.5)
    started = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: limit.wait(0, None), range(10)))
    assert 0.4 < time.monotonic() - started < 60
    assert not [each for each in threading.enumerate() if type(each).__name__ == "Leaker"]


def test_tokens_are_limited_and_a_question_that_is_larger_than_the_limit_is_still_put() -> None:
    RateLimit(tokens=1000, seconds=600).wait(4_000_000, None)  # in no time, or it would not come to its end
    limit = RateLimit(tokens=1000, seconds=0.5)
    started = time.monotonic()
    limit.wait(4_000_000, None)
    limit.wait(2000, 500)
    assert time.monotonic() - started > 0.4


def test_without_limits_nobody_waits() -> None:
    limit = RateLimit.pop_from({})
    started = time.monotonic()
    for _ in range(1000):
        limit.wait(10**9, None)
    assert time.monotonic() - started < 30
