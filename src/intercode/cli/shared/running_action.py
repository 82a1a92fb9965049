"""An action that runs while a person waits: Ctrl-C stops it, the episode goes on, and a slow one shows that it runs."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from queue import Empty, SimpleQueue
from threading import Thread, current_thread, main_thread
from types import FrameType

from intercode.cli.display import console
from intercode.env.env import Env
from intercode.types import Action

SLOW = 1.0
"""Seconds after which an action shows that it still runs, and between two updates of that."""

CTRL_C, END = "Ctrl-C", "end"


@contextmanager
def interruptible(env: Env, action: Action) -> Iterator[None]:
    """While *env* takes *action* in the main thread: Ctrl-C stops its programs by `Env.interrupt`.

    The second Ctrl-C raises KeyboardInterrupt, and so does the first where nothing but a judgement is under way. After
    `SLOW` seconds a terminal shows for how long it has run.
    """
    events: SimpleQueue[str] = SimpleQueue()  # the one queue that a signal's handler may use
    with ExitStack() as stack:
        if action.kind == "execute":
            stack.enter_context(_first_ctrl_c_to(events))
        helper = Thread(target=_follow, args=(env, action, events), name="intercode-running-action", daemon=True)
        helper.start()
        try:
            yield
        finally:
            events.put(END)
            helper.join()


@contextmanager
def _first_ctrl_c_to(events: SimpleQueue[str]) -> Iterator[None]:
    """Hand the first Ctrl-C to *events*; the next one raises KeyboardInterrupt. A SIGINT that is ignored stays so."""
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def on_ctrl_c(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        events.put(CTRL_C)

    signal.signal(signal.SIGINT, on_ctrl_c)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _follow(env: Env, action: Action, events: SimpleQueue[str]) -> None:
    """Until the action has ended: show on a terminal that it runs, and stop it when Ctrl-C was pressed."""
    began = time.monotonic()
    what = "running" if action.kind == "execute" else "judging"
    hint = " (Ctrl-C stops it)" if action.kind == "execute" else ""
    status = console.err().status("")
    try:
        while True:
            try:
                event = events.get(timeout=SLOW)
            except Empty:
                if sys.stderr.isatty():
                    status.update(f"{what}, {time.monotonic() - began:.0f} s{hint}")
                    status.start()
                continue
            if event == END:
                return
            hint = " (being stopped; Ctrl-C once more leaves)"
            env.interrupt()
    finally:
        status.stop()
