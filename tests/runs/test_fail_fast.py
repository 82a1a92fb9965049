"""A run whose first episodes all fail alike stops at once, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_world import ToyAgent, toy_job

from intercode.errors import DatabaseError, MachineError, StoppedEarlyError
from intercode.runs import store
from intercode.runs.fail_fast import FIRST, FailFast
from intercode.runs.runner import Runner
from intercode.runs.store import RunStore
from intercode.types import TaskView

SIZE = 40


class Speechless(ToyAgent):
    """The machine fails it, in words that name the task and a number of its own, on all tasks from `after` on."""

    after = 0

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        number = int(task.id.rpartition("/")[2])
        if number >= self.after:
            raise DatabaseError(f"no server for {task.id}: /dev/shm/{number:08x} is full after {number} bytes")
        super().reset(task, seed=seed, gold=gold)


class FailingLater(Speechless):
    after = 1


class Various(ToyAgent):
    """Fails for another reason each time."""

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        raise MachineError(f"{'x' * int(task.id.rpartition('/')[2])} is broken")


def play(folder: Path, agent: type[ToyAgent], *, parallel: int = 1, keep_going: bool = False, size: int = SIZE) -> int:
    """How many episodes are stored in the end."""
    job = toy_job(size=size, make_agent=agent)
    with RunStore.create(folder, job.manifest) as open_store:
        try:
            Runner(job, open_store, parallel, keep_going=keep_going).run()
        finally:
            stored = len(store.read(folder).episodes)
    return stored


@pytest.mark.parametrize("parallel", [1, 8])
def test_the_run_stops_with_the_reason(tmp_path: Path, parallel: int) -> None:
    with pytest.raises(StoppedEarlyError) as stopped:
        play(tmp_path / "run", Speechless, parallel=parallel)
    said = str(stopped.value)
    assert said.startswith(f"stopped: the first {FIRST} episodes all failed alike: DatabaseError: no server for toy/")
    what, fix, resume = said.splitlines()
    assert f"bytes (0 of {SIZE} episodes are stored" in what
    assert fix == "  fix: remove the cause, or play the others anyway with --keep-going"
    assert resume.startswith(f"  resume: intercode run --resume --out {tmp_path / 'run'}")
    assert FIRST <= len(store.read(tmp_path / "run").episodes) < FIRST + parallel


def test_with_keep_going_it_goes_on(tmp_path: Path) -> None:
    assert play(tmp_path / "run", Speechless, keep_going=True) == SIZE


@pytest.mark.parametrize("agent", [FailingLater, Various])
def test_what_is_no_common_reason_of_the_first_stops_nothing(tmp_path: Path, agent: type[ToyAgent]) -> None:
    assert play(tmp_path / "run", agent) == SIZE


def test_nothing_is_stopped_that_is_over_anyway(tmp_path: Path) -> None:
    assert play(tmp_path / "run", Speechless, size=FIRST) == FIRST


@pytest.mark.parametrize(
    "error",
    [
        "ended after turn 1 of 4",
        "BudgetExceededError: all is spent",
        "ContextOverflowError: it is longer than 4096",
        "",
    ],
)
def test_only_the_machines_reasons_count(error: str) -> None:
    fail_fast = FailFast()
    for number in range(2 * FIRST):
        fail_fast.record(f"toy/{number}", error, more=True)


def test_a_plug_ins_own_kind_of_error_counts() -> None:
    class LampError(MachineError):
        """A plug-in's."""

    fail_fast, error = FailFast(), f"{LampError.__name__}: it is dark."
    for number in range(FIRST - 1):
        fail_fast.record(f"toy/{number}", error, more=True)
    with pytest.raises(StoppedEarlyError, match=r"LampError: it is dark"):
        fail_fast.record("toy/9", error, more=True)
