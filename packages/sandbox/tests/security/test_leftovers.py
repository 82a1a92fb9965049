"""What is left of sessions, sandboxes and whole processes, whichever way they end: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from intercode_sandbox.embedded import EmbeddedSandbox, scratch
from intercode_sandbox.embedded.control_groups.groups import MOST_OPEN_GROUPS
from intercode_sandbox.errors import SandboxError, SandboxGoneError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Session
from intercode_sandbox.testing.patience import patience

from .host import (
    becomes_true,
    descriptors,
    exists,
    family,
    first_process,
    group_of,
    groups,
    held_since,
    leave,
    marked,
    mounts,
    new_marker,
    parent,
    shell,
)

SECONDS = 30.0
"""Within so much time all is gone by itself."""


def test_nothing_is_left_of_sessions_after_close(image: Image) -> None:
    """Twenty of them, used and unused: no process, no descriptor, and at last no group. None is made ahead here.

    Of the groups that are kept for the next sessions some keep their files open, not more than so many.
    """
    with EmbeddedSandbox(ahead=0) as sandbox:
        sandbox.start(image).close()
        before, members = descriptors(), family(os.getpid())
        sessions = [sandbox.start(image) for _ in range(20)]
        for session in sessions[::2]:
            shell(session, "sleep 1000 >/dev/null 2>&1 & echo > /tmp/file")
        firsts = [first_process(session) for session in sessions[:4]]
        for session in sessions:
            session.close()
        held = held_since(before)
        assert [each for each in held if not each.startswith("/sys/fs/cgroup/")] == []
        assert len(held) <= 4 * MOST_OPEN_GROUPS
        assert becomes_true(lambda: not any(map(exists, firsts)), SECONDS)
        assert becomes_true(lambda: family(os.getpid()) <= members, SECONDS)


def test_nothing_is_left_of_a_sandbox_after_close(image: Image) -> None:
    """Nor of sessions that were not closed, snapshots, programs that stay."""
    before, members, seen = descriptors(), family(os.getpid()), (mounts(), groups())
    with EmbeddedSandbox() as sandbox:
        sessions = [sandbox.start(image) for _ in range(3)]
        with sessions[0].snapshot() as snapshot:
            sandbox.start(image, snapshot=snapshot)
        process = sessions[1].open(["/bin/sleep", "1000"])
        assert len(family(os.getpid())) > len(members) + 5
    process.close()
    assert held_since(before) == []
    assert family(os.getpid()) <= members
    assert mounts() == seen[0]
    assert becomes_true(lambda: groups() <= seen[1], SECONDS), "systemd takes a moment"


def test_nothing_is_left_of_sessions_that_start_while_their_sandbox_closes(image: Image) -> None:
    """In other threads: each starts until it is told no, and whatever had begun is closed with the rest."""
    before, members = descriptors(), family(os.getpid())
    for _ in range(5):
        sandbox, started = EmbeddedSandbox(), threading.Semaphore(0)

        def start_until_closed(sandbox: EmbeddedSandbox = sandbox, started: threading.Semaphore = started) -> None:
            with suppress(SandboxError):
                while True:
                    sandbox.start(image)
                    started.release()

        threads = [threading.Thread(target=start_until_closed) for _ in range(4)]
        for thread in threads:
            thread.start()
        started.acquire(timeout=patience(20))
        sandbox.close()
        for thread in threads:
            thread.join(patience(20))
    assert held_since(before) == []
    assert family(os.getpid()) <= members


@pytest.mark.skipif(not scratch.tmpfs_suffices(), reason="before Linux 6.6 there is no limit on inodes to fail by")
def test_a_session_that_fails_to_start_leaves_nothing(image: Image) -> None:
    """Limits that no session can live with: an error, and then nothing."""
    with EmbeddedSandbox() as sandbox:
        sandbox.start(image).close()
        before, members = descriptors(), family(os.getpid())
        with pytest.raises(SandboxError):
            sandbox.start(image, limits=Limits(inodes=3))
        assert held_since(before) == []
        assert becomes_true(lambda: family(os.getpid()) <= members, SECONDS)


HOLD = """
import sys, time
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import find
sandbox, image, marker = EmbeddedSandbox(), find("host"), sys.argv[1]
sessions = [sandbox.start(image) for _ in range(3)]
snapshot = sessions[0].snapshot()
daemon = f"(trap '' TERM; exec -a {marker} sleep 1000) >/dev/null 2>&1 </dev/null & echo > /tmp/file"
for session in sessions:
    session.run(["/bin/bash", "-c", daemon])
busy = sessions[0].open(["/bin/bash", "-c", f"exec -a {marker} yes"])
print('ready', flush=True)
"""
REST = "time.sleep(1000)\n"
START_MORE = "while True: sessions.append(sandbox.start(image))\n"
END = "sys.stdin.readline()\n"


@contextmanager
def holder_of_sessions(then: str, marker: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another Python that holds live sessions, with its temporary files in *folder*."""
    environment = {**os.environ, "TMPDIR": str(folder)}
    command = [sys.executable, "-c", HOLD + then, marker]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "ready\n"
            yield holder
        finally:
            holder.kill()


@pytest.mark.parametrize("then", [REST, START_MORE], ids=["at-rest", "while-starting-more"])
def test_nothing_is_left_of_a_process_that_was_killed(then: str, tmp_path: Path) -> None:
    """`kill -9` leaves no time to clean up."""
    marker, before = new_marker(), mounts()
    with holder_of_sessions(then, marker, tmp_path) as holder:
        assert becomes_true(lambda: len(marked(marker)) == 5)  # with the holder's own command line
        members = family(holder.pid)
        assert len(members) > 6
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert becomes_true(lambda: not any(map(exists, members)), SECONDS)
    assert marked(marker) == []
    assert mounts() == before
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_a_process_that_forgot_to_close(tmp_path: Path) -> None:
    marker = new_marker()
    with holder_of_sessions(END, marker, tmp_path) as holder:
        members = family(holder.pid)
        holder.communicate("\n", patience(60))
        assert holder.returncode == 0
        assert becomes_true(lambda: not any(map(exists, members)), SECONDS)
    assert marked(marker) == []
    assert list(tmp_path.iterdir()) == []


def test_the_groups_of_a_killed_process_are_removed_by_systemd_or_the_next(image: Image, tmp_path: Path) -> None:
    """Systemd sees a scope empty itself. Groups made by hand are empty folders until somebody of ours comes."""
    with EmbeddedSandbox() as sandbox, sandbox.start(image) as session:
        if group_of(first_process(session)) is None:
            pytest.skip("no control group is to be had here")
    with holder_of_sessions(REST, new_marker(), tmp_path) as holder:
        assert len(groups(holder.pid)) > 0
        members = family(holder.pid)
    assert becomes_true(lambda: not any(map(exists, members)), SECONDS)
    look = "from intercode_sandbox.embedded import control_groups; control_groups.clean()"
    subprocess.run([sys.executable, "-c", look], check=True)
    assert becomes_true(lambda: groups(holder.pid) == set(), SECONDS)


def test_the_death_of_bubblewrap_ends_its_sessions_and_no_others(image: Image) -> None:
    """Killed from outside, by whatever: an error for those in it, and the next session starts another."""
    with EmbeddedSandbox() as sandbox, EmbeddedSandbox() as other:
        session, unharmed, marker = sandbox.start(image), other.start(image), new_marker()
        leave(session, marker)
        os.kill(parent(first_process(session)), signal.SIGKILL)
        assert becomes_true(lambda: marked(marker) == [], SECONDS)
        with pytest.raises(SandboxGoneError):
            session.run(["/bin/true"])
        assert unharmed.run(["/bin/echo", "hi"]).output == b"hi\n"
        before = len(descriptors())
        assert becomes_true(lambda: _starts(sandbox, image))
        session.close()
        assert len(descriptors()) < before + 5, "of the dead one little is kept: its layers' folders"


def test_sessions_outlive_the_thread_that_started_them(image: Image) -> None:
    """Bubblewrap's own way of ending goes by the thread that started it."""
    found: list[Session] = []
    with EmbeddedSandbox() as sandbox:
        thread = threading.Thread(target=lambda: found.append(sandbox.start(image)))
        thread.start()
        thread.join()
        time.sleep(0.1)
        with closing(found[0]) as session:
            assert session.run(["/bin/echo", "hi"]).output == b"hi\n"


def _starts(sandbox: EmbeddedSandbox, image: Image) -> bool:
    try:
        with sandbox.start(image) as session:
            return session.run(["/bin/echo", "hi"]).output == b"hi\n"
    except SandboxError:
        return False
