"""Calls that block, from an event loop: each in a thread of its own, so that none waits for another. Needs anyio."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeVar

import anyio
import anyio.to_thread


class _Closes(Protocol):
    def close(self) -> None: ...


_Value = TypeVar("_Value")
_Opened = TypeVar("_Opened", bound=_Closes)


async def in_thread(function: Callable[..., _Value], *arguments: Any, **options: Any) -> _Value:
    """Call what blocks in a thread of its own; a caller that is cancelled does not wait for it."""
    call = partial(function, *arguments, **options)
    return await anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))


async def open_in_thread(function: Callable[..., _Opened], *arguments: Any, **options: Any) -> _Opened:
    """Return the same for what has to be closed: where the caller is cancelled, it is closed once it is there."""
    opened: list[_Opened] = []
    is_cancelled, one_at_a_time = threading.Event(), threading.Lock()

    def close_unclaimed() -> None:
        with one_at_a_time:
            if is_cancelled.is_set() and opened:
                opened.pop().close()

    def work() -> _Opened:
        made = function(*arguments, **options)
        opened.append(made)
        close_unclaimed()
        return made

    try:
        return await in_thread(work)
    except anyio.get_cancelled_exc_class():
        is_cancelled.set()
        with anyio.CancelScope(shield=True):
            await in_thread(close_unclaimed)  # it may have been there already
        raise
