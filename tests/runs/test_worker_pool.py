"""Threads that share a piece of work, and end together."""

from __future__ import annotations

import _thread
import threading
import time
from itertools import count

import pytest

from intercode.runs.worker_pool import WorkerPool


@pytest.mark.parametrize(("waiting", "patience"), [(2, 600.0), (0, 0.2)], ids=["for a model", "for no model"])
def test_ctrl_c_waits_for_no_thread_that_waits_for_a_model_and_only_a_while_for_others(
    waiting: int, patience: float
) -> None:
    released, closed, places = threading.Event(), threading.Event(), count()

    def work() -> None:
        if next(places) == 0:
            _thread.interrupt_main()
        released.wait()

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        WorkerPool(work, closed.set, lambda: waiting, patience).run(2)
    released.set()
    assert closed.is_set()
    assert time.monotonic() - started < 300


def test_a_thread_that_is_about_to_end_is_waited_for() -> None:
    """It may be writing a finished episode: only the other one waits for a model."""
    asked, written, released, places = threading.Event(), threading.Event(), threading.Event(), count()

    def work() -> None:
        if next(places) == 0:
            asked.wait()
            _thread.interrupt_main()
            time.sleep(0.5)
            written.set()
        else:
            asked.set()
            released.wait()

    with pytest.raises(KeyboardInterrupt):
        WorkerPool(work, lambda: None, lambda: 1, 300.0).run(2)
    released.set()
    assert written.is_set()
