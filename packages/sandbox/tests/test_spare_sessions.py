"""Sessions made ready ahead: like others in all that can be seen, bounded, and gone with their sandbox."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from env.tiny import FILES, FRESH
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.embedded.spare_sessions import MOST, SessionKind, SpareSessions
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits

START = 1_600_000_000.0


@pytest.fixture(scope="module")
def sandbox() -> Iterator[EmbeddedSandbox]:
    with EmbeddedSandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def image() -> Image:
    return images.find("host").with_layers(FILES, name="spares")


def wait_for_spare(sandbox: EmbeddedSandbox, image: Image, limits: Limits | None = None) -> None:
    kind = SessionKind.of(image, limits or sandbox.limits)
    deadline = time.monotonic() + 30
    while not sandbox._spares._ready.get(kind):
        assert time.monotonic() < deadline, "none was made ahead"
        time.sleep(0.01)


def warm(sandbox: EmbeddedSandbox, image: Image) -> None:
    """Have one made ahead: with the second start of a kind."""
    for _ in range(2):
        sandbox.start(image).close()
    wait_for_spare(sandbox, image)


def test_one_that_was_made_ahead_is_taken_and_begins_when_it_is_told_to(sandbox: EmbeddedSandbox, image: Image) -> None:
    warm(sandbox, image)
    ready = [session for _, session in sandbox._spares._ready[SessionKind.of(image, sandbox.limits)]]
    with sandbox.start(image, started_at=START) as session:
        assert session in ready
        assert session.run(["stat", "-c", "%Y", "/"]).text == f"{START:.0f}\n"
        assert session.changes() == []


def test_nothing_of_one_session_is_in_the_next(sandbox: EmbeddedSandbox, image: Image) -> None:
    warm(sandbox, image)
    for _ in range(3):
        with sandbox.start(image) as session:
            assert session.run(["sh", "-c", "ls /shop; echo x > /shop/left"]).text == "a.txt\nb.txt\ndeep\n"
        wait_for_spare(sandbox, image)


def test_an_image_whose_times_are_those_of_the_start_has_none(sandbox: EmbeddedSandbox, image: Image) -> None:
    fresh = image.with_layers(FRESH, name="fresh")
    for number in range(3):
        with sandbox.start(fresh, started_at=START + number) as session:
            assert session.run(["stat", "-c", "%Y", "/shop/now.txt"]).text == f"{START + number:.0f}\n"
    assert SessionKind.of(fresh, sandbox.limits) not in sandbox._spares._ready


def test_other_limits_are_another_kind(sandbox: EmbeddedSandbox, image: Image) -> None:
    warm(sandbox, image)
    with sandbox.start(image, limits=Limits(output=7)) as session:
        assert session.run(["echo", "more than seven"]).truncated


def test_a_reset_is_quick_where_one_is_ready(sandbox: EmbeddedSandbox, image: Image) -> None:
    """A hundred times what it takes, once in ten: this machine may be busy; without a spare a start is not as quick."""
    warm(sandbox, image)
    taken = list[float]()
    for _ in range(10):
        began = time.perf_counter()
        session = sandbox.start(image)
        taken.append(time.perf_counter() - began)
        session.close()
        wait_for_spare(sandbox, image)
    assert min(taken) < 0.05


def test_those_that_are_too_old_are_closed_and_not_taken(sandbox: EmbeddedSandbox, image: Image) -> None:
    warm(sandbox, image)
    kind = SessionKind.of(image, sandbox.limits)
    ready = sandbox._spares._ready[kind]
    old = [session for _, session in ready]
    for number, session in enumerate(old):
        ready[number] = (time.monotonic() - 3600, session)
    with sandbox.start(image) as fresh:
        assert fresh not in old
    assert all(session._channel.closed for session in old)


def test_there_are_never_more_than_so_many(sandbox: EmbeddedSandbox, image: Image) -> None:
    spares, limits = SpareSessions(most=3), Limits(output=11)
    kind = SessionKind.of(image, limits)
    made: list[EmbeddedSession] = []

    def make() -> EmbeddedSession:
        made.append(sandbox._start(image, None, 0, limits, 0, waits=False))
        return made[-1]

    for _ in range(10):
        spares.order(kind, make)
    spares.close()
    assert len(made) == 3
    for session in made:
        session.close()


def test_one_that_cannot_be_made_is_not_counted() -> None:
    spares, kind = SpareSessions(), SessionKind("image", "digest", Limits())

    def make() -> EmbeddedSession:
        raise SandboxError("nobody wants it")

    for _ in range(3 * MOST):
        spares.order(kind, make)
    assert spares.take(kind) is None
    assert spares._count == 0


def test_one_whose_process_has_died_on_the_way_is_not_taken(sandbox: EmbeddedSandbox, image: Image) -> None:
    warm(sandbox, image)
    ready = [session for _, session in sandbox._spares._ready[SessionKind.of(image, sandbox.limits)]]
    for each in ready:
        each._channel.connection.shutdown(socket.SHUT_RDWR)
    with sandbox.start(image) as session:
        assert session not in ready
        assert session.run(["echo", "here"]).text == "here\n"
    assert all(each._channel.closed for each in ready)


def test_they_end_with_their_sandbox(image: Image) -> None:
    before = set(threading.enumerate())
    with EmbeddedSandbox() as sandbox:
        warm(sandbox, image)
        ready = [session for _, session in sandbox._spares._ready[SessionKind.of(image, sandbox.limits)]]
        assert ready
    assert all(session._channel.closed for session in ready)
    assert set(threading.enumerate()) <= before
