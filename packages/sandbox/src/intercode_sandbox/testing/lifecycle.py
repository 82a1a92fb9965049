"""The part of the sandbox contract about lives: of sessions, snapshots and processes, and how each ends."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import ClassVar

import pytest

from intercode_sandbox.errors import SandboxError, SnapshotError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Process, Sandbox, Session
from intercode_sandbox.testing.fixtures import (
    HOUR,
    OLD,
    YEAR,
    added_paths,
    appears,
    becomes_true,
    disappears,
    held,
    mark,
    need,
    sh,
)
from intercode_sandbox.testing.patience import patience


class SandboxLifecycleTests:
    """See `SandboxContract`."""

    no_snapshots: ClassVar[str] = ""
    """Why sessions cannot be stored and branched from; empty where they can."""

    # Sessions

    def test_sessions_do_not_see_each_other(self, sandbox: Sandbox, world: Image) -> None:
        """Neither while both live nor one after the other."""
        with sandbox.start(world) as one, sandbox.start(world) as other:
            sh(one, "echo one > made; echo one >> plain.txt; rm old.txt")
            assert sh(other, "cat made plain.txt old.txt 2>/dev/null").output == b"plain\nold\n"
            assert other.changes() == []
        with sandbox.start(world) as later:
            assert later.changes() == []
            assert later.read("/data/plain.txt") == b"plain\n"

    def test_files_have_the_images_times(self, session: Session) -> None:
        assert sh(session, "stat -c %Y old.txt").text == f"{OLD}\n"

    def test_fresh_files_have_the_time_of_the_start(self, sandbox: Sandbox, world: Image) -> None:
        """The one given, or now; and that is no change."""
        with sandbox.start(world, started_at=1_500_000_000.0) as session:
            assert sh(session, "stat -c %Y new.txt").text == "1500000000\n"
            assert session.changes() == []
        with sandbox.start(world) as session:
            assert abs(int(sh(session, "stat -c %Y new.txt").text) - time.time()) < 60

    def test_files_of_an_age_are_so_much_older_than_the_session(self, sandbox: Sandbox, world: Image) -> None:
        """Folders and links as well; that is no change, and what is removed was so old."""
        start, script = 1_500_000_000, "cd ../aged; stat -c %Y hour.txt year.txt link .; rm year.txt"
        with sandbox.start(world, started_at=float(start)) as session:
            assert session.changes() == []
            seen = [int(line) - start for line in sh(session, script).text.splitlines()]
            assert seen == [-HOUR, -YEAR, -HOUR, -YEAR]
            removed = {change.path: change.before for change in session.changes()}["/aged/year.txt"]
            assert removed is not None
            assert removed.mtime_ns == (start - YEAR) * 10**9

    def test_kill_ends_processes_and_leaves_files(self, session: Session) -> None:
        sleeping = mark()
        sh(session, f"echo hi > made; (setsid sleep {sleeping} &)")
        assert appears(sleeping)
        session.kill()
        assert disappears(sleeping)
        assert sh(session, "cat made").output == b"hi\n"

    def test_nothing_outlives_close(self, sandbox: Sandbox, world: Image) -> None:
        sleeping = mark()
        with sandbox.start(world) as session:
            sh(session, f"trap '' TERM HUP; setsid sleep {sleeping} & disown")
            assert appears(sleeping)
        assert disappears(sleeping)

    def test_closing_twice_is_harmless(self, sandbox: Sandbox, world: Image) -> None:
        session = sandbox.start(world)
        session.close()
        session.close()

    def test_nothing_can_be_done_after_close(self, sandbox: Sandbox, world: Image) -> None:
        session = sandbox.start(world)
        session.close()
        uses: list[Callable[[], object]] = [
            lambda: session.run(["/bin/true"]),
            lambda: session.open(["/bin/true"]),
            lambda: session.read("/data/plain.txt"),
            lambda: session.write("/data/x", b""),
            session.changes,
            *([] if self.no_snapshots else [session.snapshot]),
        ]
        for use in uses:
            with pytest.raises(SandboxError):
                use()

    def test_closing_the_sandbox_ends_its_sessions(self, sandbox: Sandbox, world: Image) -> None:
        sleeping = mark()
        session = sandbox.start(world)
        sh(session, f"sleep {sleeping} &")
        assert appears(sleeping)
        sandbox.close()
        assert disappears(sleeping)
        with pytest.raises(SandboxError):
            session.run(["/bin/true"])
        sandbox.close()

    # Snapshots

    def test_a_branch_begins_where_the_snapshot_was_taken(self, sandbox: Sandbox, world: Image) -> None:
        """With all that was changed, removed or linked by then, and nothing of what came later."""
        need(self.no_snapshots)
        with sandbox.start(world) as session:
            sh(session, "echo one > made; rm -r folder; chmod 600 plain.txt; ln -sfn old.txt link; mkfifo pipe")
            before = session.changes()
            with session.snapshot() as snapshot:
                sh(session, "echo later > late; rm made")
                with sandbox.start(world, snapshot=snapshot) as branch:
                    assert branch.changes() == before
                    assert sh(branch, "cat made; ls").text == "one\n" + sh(branch, "ls").text
                    assert "late" not in sh(branch, "ls").text.split()

    def test_branches_are_independent(self, sandbox: Sandbox, world: Image) -> None:
        """Of each other, of the session, and of the snapshot."""
        need(self.no_snapshots)
        with sandbox.start(world) as session, session.snapshot() as snapshot:
            with sandbox.start(world, snapshot=snapshot) as one, sandbox.start(world, snapshot=snapshot) as other:
                sh(one, "echo 1 > made; echo 1 >> plain.txt")
                sh(other, "rm plain.txt")
                assert added_paths(one) == ["/data/made"]
                assert added_paths(other) == []
                assert session.changes() == []
            with sandbox.start(world, snapshot=snapshot) as third:
                assert third.changes() == []

    def test_a_snapshot_outlives_its_session_and_a_branch_its_snapshot(self, sandbox: Sandbox, world: Image) -> None:
        need(self.no_snapshots)
        session = sandbox.start(world)
        sh(session, "echo one > made")
        snapshot = session.snapshot()
        session.close()
        branch = sandbox.start(world, snapshot=snapshot)
        snapshot.close()
        snapshot.close()
        assert branch.read("/data/made") == b"one\n"
        branch.close()

    def test_processes_go_on_after_a_snapshot(self, session: Session) -> None:
        """They are frozen only while it is taken."""
        need(self.no_snapshots)
        sh(session, "(while sleep 0.05; do date +%s%N > clock; done) >/dev/null 2>&1 &")
        assert becomes_true(lambda: "/data/clock" in added_paths(session))
        session.snapshot().close()
        first = session.read("/data/clock")
        assert becomes_true(lambda: session.read("/data/clock") != first)

    def test_nothing_runs_while_it_is_frozen(self, session: Session) -> None:
        """But what is started then. Who stops it once more, as for a snapshot, does not let it go on."""
        if type(session).frozen is Session.frozen:
            pytest.skip("this sandbox cannot stop what runs in a session")
        sh(session, "(while sleep 0.02; do date +%s%N > clock; done) >/dev/null 2>&1 &")
        assert becomes_true(lambda: "/data/clock" in added_paths(session))
        with session.frozen():
            with session.frozen():
                pass
            first = session.read("/data/clock")
            assert sh(session, "sleep 0.3; cat clock").output == first
            assert session.read("/data/clock") == first
        assert becomes_true(lambda: session.read("/data/clock") != first)

    def test_who_takes_no_snapshots_says_so(self, session: Session) -> None:
        """And names who does."""
        if not self.no_snapshots:
            session.snapshot().close()
            return
        with pytest.raises(SnapshotError, match="embedded or the docker sandbox"):
            session.snapshot()

    # Processes that stay

    def test_a_process_that_stays_can_be_talked_to(self, session: Session) -> None:
        process = session.open(["/bin/bash", "--norc"], cwd="/data", env={"A": "1"})
        process.send(b"x=5; cat plain.txt; echo $A >&2\n")
        assert _until(process, b"1\n") == b"plain\n1\n"
        process.send(b"echo $x\n")
        assert _until(process, b"\n") == b"5\n"
        assert process.exit_code is None
        process.send(b"exit 7\n")
        assert _wait_for_exit(process) == 7
        assert process.receive(0.2) == b""
        process.close()

    def test_a_silent_process_is_not_waited_for_longer_than_asked(self, session: Session) -> None:
        process = session.open(["/bin/sleep", "60"])
        started = time.monotonic()
        assert process.receive(0.3) == b""
        assert 0.2 < time.monotonic() - started < 30
        process.close()

    def test_commands_run_beside_a_process_that_stays(self, session: Session) -> None:
        process = session.open(["/bin/bash"], cwd="/data")
        process.send(b"echo from the shell > made; echo done\n")
        assert _until(process, b"done\n") == b"done\n"
        assert sh(session, "cat made").output == b"from the shell\n"
        process.close()

    def test_a_process_can_be_sent_signals(self, session: Session) -> None:
        """It and the group it leads."""
        script = "trap 'echo got it; exit 4' INT; echo ready; while :; do sleep 1; done"
        process = session.open(["/bin/bash", "-c", script])
        assert _until(process, b"ready\n") == b"ready\n"
        process.signal(signal.SIGINT)
        assert _until(process, b"it\n") == b"got it\n"
        assert _wait_for_exit(process) == 4
        process.close()

    def test_closing_a_process_kills_what_it_started(self, session: Session) -> None:
        sleeping = mark()
        process = session.open(["/bin/bash"])
        process.send(f"setsid sleep {sleeping} & sleep {sleeping}\n".encode())
        assert appears(sleeping)
        process.close()
        process.close()
        assert disappears(sleeping)
        assert sh(session, "echo fine").output == b"fine\n"

    def test_closing_a_session_closes_its_processes(self, sandbox: Sandbox, world: Image) -> None:
        """Whoever forgets one loses neither it nor the pipes to it."""
        before = held("pipe:")
        for _ in range(8):
            with sandbox.start(world) as session:
                process = session.open(["/bin/cat"])
                process.send(b"hi\n")
                assert _until(process, b"\n") == b"hi\n"
        assert held("pipe:") - before < 8

    def test_nobody_reads_what_is_sent_to_the_dead(self, session: Session) -> None:
        process = session.open(["/bin/true"])
        assert _wait_for_exit(process) == 0
        with pytest.raises(BrokenPipeError):
            process.send(b"x" * (1 << 20))
        process.close()

    def test_what_cannot_be_opened_ends_as_in_a_shell(self, session: Session) -> None:
        process = session.open(["no-such-program"])
        assert _wait_for_exit(process) == 127
        process.close()


def _until(process: Process, end: bytes, seconds: float = 15.0) -> bytes:
    """Return what it prints until that ends in *end*, or it ends, or time is up."""
    printed, deadline = b"", time.monotonic() + patience(seconds)
    while not printed.endswith(end) and time.monotonic() < deadline:
        block = process.receive(0.2)
        if not block and process.exit_code is not None:
            break
        printed += block
    return printed


def _wait_for_exit(process: Process, seconds: float = 15.0) -> int | None:
    """Its exit code, as soon as it has one."""
    deadline = time.monotonic() + patience(seconds)
    while process.exit_code is None and time.monotonic() < deadline:
        time.sleep(0.02)
    return process.exit_code
