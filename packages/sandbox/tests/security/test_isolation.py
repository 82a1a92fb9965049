"""Sessions among themselves: no one sees, feels or changes another."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from intercode_sandbox.sandbox import Process, Session

from .conftest import Compile, Start
from .host import becomes_true, first_process, group_of, leave, marked, new_marker, outcomes, put, shell


def test_sessions_share_nothing_that_has_a_name(start: Start, attack: Compile) -> None:
    """Shared memory, semaphores, queues, sockets, files: in the one they are, in the other they are not.

    Where no control group counts memory, those of System V are nowhere: they are refused.
    """
    one, other = start(), start()
    said = b""
    with closing(one.open([put(one, attack("share"), "/tmp/share"), "make"])) as maker:
        while not said.endswith(b"ready\n"):
            said += maker.receive(5)
        made = outcomes(one, attack("share"), "find")
        counted = group_of(first_process(one)) is not None
        found = outcomes(other, attack("share"), "find")
    names = {"segment", "semaphore", "messages", "queue", "memory", "file", "socket"}
    refused = {name for name in names if made[name] == "ENOSYS"}
    assert refused in (set(), set() if counted else {"segment", "semaphore", "messages"})
    assert {made[name] for name in names - refused} == {"done"}
    assert set(found) == names
    assert {found[name] for name in names - refused} <= {"ENOENT", "ECONNREFUSED"}


def test_sessions_do_not_see_each_others_processes(start: Start) -> None:
    one, other, marker = start(), start(), new_marker()
    leave(one, marker)
    assert marker in shell(one, "cat /proc/*/cmdline 2>/dev/null").text
    shell(other, "kill -9 -1; kill -9 $(seq 2 300)")
    assert marker not in shell(other, "cat /proc/*/cmdline 2>/dev/null").text
    assert len(marked(marker)) == 1


def test_sessions_do_not_see_each_others_files(start: Start) -> None:
    """Nor what another has done to those of the image."""
    one, other = start(), start()
    shell(one, "echo mine > /tmp/mine; echo 6.6.6.6 > /etc/hosts; rm -r /home/user; chmod 777 /etc/passwd")
    assert shell(other, "ls -A /tmp /dev/shm").text.split() == ["/dev/shm:", "/tmp:"]
    assert shell(other, "cat /etc/hosts").text != shell(one, "cat /etc/hosts").text
    assert shell(other, "ls -d /home/user; stat -c %a /etc/passwd").text.split() == ["/home/user", "644"]
    assert other.changes() == []
    assert len(one.changes()) >= 4


def test_a_branch_changes_neither_its_snapshot_nor_where_that_came_from(start: Start) -> None:
    session = start()
    shell(session, "echo first > /tmp/file")
    with session.snapshot() as snapshot:
        one, other = start(snapshot), start(snapshot)
        shell(one, "echo second > /tmp/file; rm /etc/hosts")
        shell(session, "rm /tmp/file")
        assert shell(other, "cat /tmp/file; ls /etc/hosts").text.split() == ["first", "/etc/hosts"]
        assert shell(start(snapshot), "cat /tmp/file").output == b"first\n"
        assert shell(one, "cat /tmp/file").output == b"second\n"


def test_no_process_is_in_a_snapshot(start: Start) -> None:
    """It goes on where it was, after a moment's halt, and nowhere else."""
    session, marker = start(), new_marker()
    leave(session, marker)
    with session.snapshot() as snapshot:
        branch = start(snapshot)
        assert branch.run(["/bin/echo", "hi"]).output == b"hi\n"
        assert len(marked(marker)) == 1


def test_what_runs_is_halted_for_a_snapshot_and_then_goes_on(session: Session) -> None:
    script = "i=0; while :; do i=$((i+1)); echo $i > /tmp/count; done"
    with closing(session.open(["/bin/bash", "-c", script])):
        assert becomes_true(lambda: shell(session, "cat /tmp/count").text != "")
        for _ in range(5):
            session.snapshot().close()
        last = shell(session, "cat /tmp/count").text
        assert becomes_true(lambda: shell(session, "cat /tmp/count").text not in ("", last))


# Files that sessions have in common with each other and with the machine: below /usr, and in the image

SHARED = ("/usr/bin", "/usr/bin/tac", "/etc", "/etc/passwd")


@contextmanager
def watching(session: Session, attack: Compile) -> Iterator[Process]:
    """A program in *session* that watches and locks what is `SHARED`."""
    with closing(session.open([put(session, attack("watch")), *SHARED])) as watcher:
        assert watcher.receive(30) == b"ready\n"
        yield watcher


def seen(watcher: Process) -> int:
    """How much it has seen since it was asked last."""
    watcher.send(b".")
    return int(watcher.receive(30))


def test_what_others_run_and_read_is_not_seen(start: Start, attack: Compile) -> None:
    """Golds run in sessions beside the agent's: which programs they use would tell the answer."""
    one, other = start(), start()
    with watching(one, attack) as watcher:
        shell(one, "echo x | tac; cat /etc/passwd")
        assert seen(watcher) > 3  # it does see what there is to see
        shell(other, "echo x | tac; cat /etc/passwd; ls /usr/bin /etc")
        subprocess.run(["/usr/bin/tac", "/etc/passwd"], capture_output=True, check=True)
        assert seen(watcher) == 0


def test_locks_on_shared_files_are_felt_by_nobody_else(start: Start, attack: Compile) -> None:
    """A lock on a program could hold up a sibling, or the machine itself."""
    one, other = start(), start()
    lock = "exec 9<{} && flock -n -x 9"
    with watching(one, attack):
        assert shell(one, lock.format("/usr/bin/tac")).exit_code == 1  # there it is held
        for path in SHARED:
            assert shell(other, lock.format(path)).exit_code == 0
        with Path("/usr/bin/tac").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_READ_LOCK = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
"""`struct flock` of 64-bit machines: type, whence, start, length, process."""


def test_locks_of_others_are_not_listed(session: Session) -> None:
    """The kernel's list has some of the whole machine's, in every namespace: of open files, which no process holds."""
    with tempfile.TemporaryFile() as file:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, _READ_LOCK)
        number = str(os.fstat(file.fileno()).st_ino)
        assert number in Path("/proc/locks").read_text()
        assert shell(session, "cat /proc/locks").output == b""
