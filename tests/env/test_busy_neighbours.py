"""Beside busy neighbours judges come to the same verdict as alone, and nearly as soon."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from env.tiny import TinyDataset
from intercode.env.env import Env
from intercode.types import Action, Score
from intercode.worlds.bash import BashEnv
from intercode.worlds.bash.gold_runs import FreshSessions, run_gold
from intercode.worlds.python import PythonEnv
from intercode_sandbox.embedded import EmbeddedSandbox, control_groups
from intercode_sandbox.embedded.control_groups import hierarchy, version_1
from intercode_sandbox.sandbox import Limits, Sandbox

NEIGHBOURS, DAEMONS = 2, 120
SPIN = """import os, sys, time
for number in range(int(sys.argv[1])):
    if os.fork() == 0:
        [os.close(descriptor) for descriptor in (0, 1, 2)]
        os.setsid()
        time.sleep(1)
        while True: pass
"""
GOLD = "python3 -I -c 'print(sum(i * i for i in range(2000000)) % 1000003)'"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a right and a wrong answer earned, in that order, and how long the first of them took."""

    scores: tuple[Score, Score]
    seconds: float


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """One of its own: nothing of these golds is known."""
    with EmbeddedSandbox() as sandbox:
        yield sandbox


@pytest.fixture
def crowd(sandbox: Sandbox) -> Iterator[list[BashEnv]]:
    """Neighbours whose agents have left busy daemons; they are asked to come by `arrive`."""
    neighbours = [BashEnv(TinyDataset(), sandbox=sandbox) for _ in range(NEIGHBOURS)]
    yield neighbours
    for neighbour in neighbours:
        neighbour.close()


def arrive(crowd: list[BashEnv], daemons: int = DAEMONS) -> None:
    for neighbour in crowd:
        neighbour.reset()
        neighbour.current_session.write("/tmp/spin.py", SPIN.encode())
        neighbour.step(f"python3 -I /tmp/spin.py {daemons}")
    time.sleep(1.5)


def submit(env: Env, action: str, gold: str | None = None) -> tuple[Score, float]:
    task = env.dataset[0]
    env.start_episode(task if gold is None else type(task)(task.id, task.query, gold))
    env.take_action(Action("execute", action))
    began = time.monotonic()
    scores = env.take_action(Action("submit")).scores
    assert scores is not None
    return scores["exact"], time.monotonic() - began


def has_shares() -> bool:
    """Whether sessions have shares of the processors here."""
    return (version_1.parent() is not None and version_1.processors_parent() is not None) or hierarchy.is_mounted()


@pytest.mark.flaky_when_busy("compares two times")
@pytest.mark.skipif(not has_shares(), reason="no control groups are to be had here: judges are right, and slow")
def test_a_gold_comes_to_the_same_end_and_in_at_most_three_times_the_time(
    sandbox: Sandbox, crowd: list[BashEnv]
) -> None:
    with BashEnv(TinyDataset(), sandbox=sandbox) as env:
        alone, quiet = submit(env, "echo 1", f"{GOLD} # alone")
        arrive(crowd)
        beside, busy = submit(env, "echo 1", GOLD)
        right, _ = submit(env, GOLD, GOLD)
    assert (alone, right.success) == (beside, True)
    assert busy < 3 * quiet


def test_python_is_judged_alike(sandbox: Sandbox, crowd: list[BashEnv]) -> None:
    with PythonEnv("starter-python", sandbox=sandbox) as env:
        task = env.dataset[0]
        alone = [submit(env, text)[0] for text in (task.gold or "", "x = 1")]
        arrive(crowd)
        assert [submit(env, text)[0] for text in (task.gold or "", "x = 1")] == alone
    assert [score.success for score in alone] == [True, False]


@pytest.mark.flaky_when_busy("a machine that is busier gives the gold no time at all")
def test_without_groups_a_gold_is_not_cut_for_the_time_that_others_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes longer by the clock than it may, and less of its own time: its share is a seventh of a processor.

    On a busier machine it is less; a thirtieth would do.
    """
    monkeypatch.setenv(control_groups.SWITCH, "no")
    with EmbeddedSandbox() as sandbox, contextlib.ExitStack() as neighbours:
        crowd = [neighbours.enter_context(BashEnv(TinyDataset(), sandbox=sandbox)) for _ in range(NEIGHBOURS)]
        arrive(crowd, daemons=6 * (os.cpu_count() or 1) // NEIGHBOURS)
        sessions = FreshSessions(sandbox, crowd[0].image, Limits(), None, seconds=1.0)
        work = "import time; end = time.process_time() + 0.3; any(time.process_time() > end for _ in iter(int, 1))"
        began = time.monotonic()
        gold = run_gold(sessions, f"python3 -I -c '{work}; print(1)'", time.time())
        assert time.monotonic() - began > 2 * sessions.seconds
        assert (gold.exact.answer, gold.cut) == ("1\n", False)
