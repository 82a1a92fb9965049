"""Calls in threads of their own, and what becomes of what a cancelled one opens."""

from __future__ import annotations

import asyncio
import threading

import pytest

from intercode.integrations.threads import in_thread, open_in_thread

PATIENCE = 60


class Opened:
    """Notes that it was closed."""

    def __init__(self) -> None:
        self.closed = threading.Event()

    def close(self) -> None:
        self.closed.set()


def test_calls_that_nobody_waits_for_any_more_keep_no_other_from_running() -> None:
    """A pool of threads would be full of them."""
    begun, over = [threading.Event() for _ in range(40)], threading.Event()

    def work(number: int) -> None:
        begun[number].set()
        over.wait(PATIENCE)

    async def play() -> str:
        waiting = [asyncio.ensure_future(in_thread(work, number)) for number in range(len(begun))]
        for number, each in enumerate(waiting):
            while not begun[number].is_set():
                await asyncio.sleep(0.01)
            each.cancel()
        return await in_thread(lambda: "done")

    try:
        assert asyncio.run(asyncio.wait_for(play(), PATIENCE)) == "done"
    finally:
        over.set()


def test_what_is_opened_is_handed_over_open() -> None:
    opened = asyncio.run(open_in_thread(Opened))
    assert not opened.closed.is_set()


def test_what_is_opened_after_its_caller_was_cancelled_is_closed() -> None:
    begun, goes_on, opened = threading.Event(), threading.Event(), Opened()

    def make() -> Opened:
        begun.set()
        goes_on.wait(PATIENCE)
        return opened

    async def play() -> None:
        opening = asyncio.ensure_future(open_in_thread(make))
        await asyncio.to_thread(begun.wait, PATIENCE)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening

    asyncio.run(play())
    assert not opened.closed.is_set()
    goes_on.set()
    assert opened.closed.wait(PATIENCE)


def test_what_was_opened_when_its_caller_is_cancelled_is_closed() -> None:
    opened = Opened()

    async def play() -> None:
        loop = asyncio.get_running_loop()

        def make() -> Opened:
            loop.call_soon_threadsafe(opening.cancel)  # before the loop hears of the result
            return opened

        opening = asyncio.ensure_future(open_in_thread(make))
        with pytest.raises(asyncio.CancelledError):
            await opening

    asyncio.run(play())
    assert opened.closed.wait(PATIENCE)


def test_what_cannot_be_opened_says_why() -> None:
    def fail() -> Opened:
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"):
        asyncio.run(open_in_thread(fail))
