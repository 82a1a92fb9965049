"""A session that is judged stands still, whatever its processes do against that."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial

import pytest

from intercode_sandbox.testing.patience import patience

from .conftest import Start
from .host import becomes_true

COUNT = """
import os, signal, sys
mode, processes = sys.argv[1], int(sys.argv[2])
def fork():
    while True:
        try: return os.fork()
        except OSError: pass  # so many have died whom nobody has collected yet
for number in range(processes):
    if fork() == 0:
        os.setsid()
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        file = os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY)
        while True:
            os.pwrite(file, os.urandom(8), 0)
            if "c" in mode:
                try: os.kill(-1, signal.SIGCONT)
                except OSError: pass
            if "f" in mode and fork():
                os._exit(0)
"""
"""So many processes that write without end; they send SIGCONT to all others (c) and go on in children (f)."""

PROCESSES = 40
SECONDS = 60.0
"""In which each of so many processes has its turn, where no control group keeps them from taking ours."""


@pytest.mark.parametrize("mode", ["-", "c", "f", "cf"])
def test_nothing_moves_however_they_wake_each_other_or_flee(start: Start, mode: str) -> None:
    session = start()
    session.write("/tmp/count.py", COUNT.encode())
    session.run(["python3", "-I", "/tmp/count.py", mode, str(PROCESSES)])

    def look() -> list[bytes]:
        return [session.read(f"/tmp/{number}") for number in range(PROCESSES)]

    def has_begun() -> bool:
        try:
            return b"" not in look()
        except FileNotFoundError:
            return False

    def has_moved(since: list[bytes]) -> bool:
        return look() != since

    assert becomes_true(has_begun, SECONDS)
    assert becomes_true(partial(has_moved, look()), SECONDS)
    for _ in range(5):
        with session.frozen():
            first = look()
            time.sleep(0.05)
            assert look() == first
        if "f" not in mode:  # who flees without end may have run out of processes
            assert becomes_true(partial(has_moved, first), SECONDS)


def test_a_command_that_times_out_meanwhile_lets_nobody_go_on(start: Start) -> None:
    """Its end stops and continues the others, which may only be told apart while nothing moves."""
    session = start()
    session.write("/tmp/count.py", COUNT.encode())
    session.run(["python3", "-I", "/tmp/count.py", "-", "2"])

    def has_begun() -> bool:
        with suppress(FileNotFoundError):  # as long as one has not come so far
            return b"" not in [session.read(f"/tmp/{number}") for number in range(2)]
        return False

    assert becomes_true(has_begun)
    with session.frozen():
        first = session.read("/tmp/0")
        assert session.run(["/bin/sleep", "60"], timeout=patience(0.3)).timed_out
        time.sleep(0.05)
        assert session.read("/tmp/0") == first
    assert becomes_true(lambda: session.read("/tmp/0") != first)
