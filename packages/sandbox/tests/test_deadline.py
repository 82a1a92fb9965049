"""The end of a command's time: by the clock for agents, for judges by time that others cannot slow."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from intercode_sandbox.deadline import PATIENCE, ProcessorDeadline, ProcessorUse
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import find
from intercode_sandbox.sandbox import Limits, Session
from intercode_sandbox.scripted import ScriptedSandbox

WORK = "import time; end = time.process_time() + {}; any(time.process_time() > end for _ in iter(int, 1))"


class Clock:
    """Time that passes when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.worked = 0.0
        self.wanting = 1
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def look(self) -> ProcessorUse:
        return ProcessorUse(self.worked, self.wanting)

    def ends_after(self, seconds: float, *, share: float) -> float:
        """When *seconds* are over for who gets that share of a processor, or of several."""
        deadline = ProcessorDeadline(seconds, self.look)
        began = self.now
        while (left := deadline.left()) > 0:
            passed = max(left, 0.001)
            self.now += passed
            self.worked += passed * share
        return self.now - began


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(2.0, 2.0), (1.0, 2.0), (0.5, 3.9), (0.25, 7.7), (0.01, 2 * PATIENCE), (0.0, 2 * PATIENCE)],
)
def test_time_passes_as_fast_as_work_is_done(clock: Clock, share: float, expected: float) -> None:
    """Never faster than the clock, and not slower for ever."""
    assert clock.ends_after(2.0, share=share) == pytest.approx(expected, abs=0.2)


def test_who_sleeps_is_not_slowed(clock: Clock) -> None:
    clock.wanting = 0
    assert clock.ends_after(2.0, share=0.0) == pytest.approx(2.0, abs=0.01)


def test_a_host_that_looks_late_does_not_take_for_idle_what_it_has_not_seen(clock: Clock) -> None:
    clock.wanting = 0
    deadline = ProcessorDeadline(2.0, clock.look)
    deadline.left()
    clock.now += 5.0
    assert deadline.left() > 0


@pytest.fixture
def session() -> Iterator[Session]:
    with EmbeddedSandbox() as sandbox, sandbox.start(find("host"), limits=Limits(judging=True)) as session:
        yield session


@pytest.mark.parametrize("script", ["sleep 60", f"python3 -I -c '{WORK.format(60)}'", "(sleep 60) & wait"])
def test_a_judges_command_ends_when_its_own_time_is_over(session: Session, script: str) -> None:
    result = session.run(["/bin/sh", "-c", script], timeout=0.5)
    assert result.timed_out
    assert result.seconds >= 0.5


def test_threads_and_children_count_together(session: Session) -> None:
    """Also those that have ended: a chain of short programs is no way around the limit."""
    result = session.run(["/bin/sh", "-c", "while :; do /bin/true; done"], timeout=0.5)
    assert result.timed_out


@pytest.mark.parametrize(("limits", "expected"), [(Limits(), 3.0), (Limits(judging=True), 3.0 * PATIENCE)])
def test_who_cannot_tell_what_is_worked_waits_longer_for_judges(limits: Limits, expected: float) -> None:
    with ScriptedSandbox().start(find("host"), limits=limits) as session:
        assert session.deadline(3.0).left() == pytest.approx(expected, abs=0.5)
