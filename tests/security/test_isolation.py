"""Sessions among themselves, and what is left of them: nothing, whichever way they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from intercode.errors import SandboxError, SandboxGone
from intercode.sandboxes.base import Session
from intercode.sandboxes.bubblewrap import memory
from intercode.sandboxes.embedded import EmbeddedSandbox
from intercode.sandboxes.images import Image

from .conftest import Compile, Start
from .host import becomes_true, descriptors, first_process, groups, marked, new_marker, outcomes, parent, shell

SHARED = """#include "attack.h"
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/un.h>

/* make: leave one of everything that has a name for all; find: look for them. */
int main(int argc, char **argv) {
    int flags = !strcmp(argv[1], "make") ? IPC_CREAT | 0666 : 0;
    struct sockaddr_un address = {AF_UNIX, "\\0everybody"};
    ATTEMPT("segment", shmget(77, 4096, flags));
    ATTEMPT("semaphore", semget(77, 1, flags));
    ATTEMPT("messages", msgget(77, flags));
    ATTEMPT("queue", mq_open("/everybody", flags ? O_RDWR | O_CREAT : O_RDWR, 0666, NULL));
    ATTEMPT("memory", shm_open("/everybody", flags ? O_RDWR | O_CREAT : O_RDWR, 0666));
    ATTEMPT("file", open("/tmp/everybody", flags ? O_RDWR | O_CREAT : O_RDWR, 0666));
    int handle = socket(AF_UNIX, SOCK_STREAM, 0);
    if (flags) ATTEMPT("socket", bind(handle, (void *)&address, 12) || listen(handle, 5) ? -1 : 0);
    else ATTEMPT("socket", connect(handle, (void *)&address, 12));
    if (argc > 2) {
        puts("ready");
        fflush(stdout);
        pause();
    }
    return 0;
}
"""


def test_sessions_share_nothing_that_has_a_name(start: Start, attack: Compile) -> None:
    """Shared memory, semaphores, queues, sockets, files: in the one they are, in the other they are not."""
    one, other = start(), start()
    one.write("/tmp/share", attack(SHARED), mode=0o755)
    maker = one.open(["/tmp/share", "make", "stay"])
    try:
        assert becomes_true(lambda: maker.receive(5).endswith(b"ready\n"))
        assert set(outcomes(one, attack(SHARED), "find").values()) == {"done"}
        found = outcomes(other, attack(SHARED), "find")
        assert set(found) == {"segment", "semaphore", "messages", "queue", "memory", "file", "socket"}
        assert set(found.values()) <= {"ENOENT", "ECONNREFUSED"}
    finally:
        maker.close()


def test_sessions_do_not_see_each_others_processes(start: Start) -> None:
    one, other, marker = start(), start(), new_marker()
    shell(one, f"(exec -a {marker} sleep 1000) >/dev/null 2>&1 </dev/null &")
    assert becomes_true(lambda: len(marked(marker)) == 1)
    assert marker in shell(one, "cat /proc/*/cmdline").text
    shell(other, "kill -9 -1; kill -9 $(seq 2 300)")
    assert marker not in shell(other, "cat /proc/[0-9]*/cmdline 2>/dev/null | grep -av grep").text
    assert len(marked(marker)) == 1


def test_sessions_do_not_see_each_others_files(start: Start) -> None:
    """Nor what another has done to those of the image."""
    one, other = start(), start()
    shell(one, "echo mine > /tmp/mine; echo 6.6.6.6 > /etc/hosts; rm -r /home/user; chmod 777 /etc/passwd")
    assert shell(other, "ls -A /tmp /dev/shm; grep -c 6.6.6.6 /etc/hosts; ls -d /home/user; stat -c %a /etc/passwd").text.split() == [
        "/dev/shm:", "/tmp:", "0", "/home/user", "644"
    ]  # fmt: skip
    assert other.changes() == []
    assert len(one.changes()) >= 4


def test_a_branch_changes_neither_its_snapshot_nor_where_that_came_from(start: Start) -> None:
    session = start()
    shell(session, "echo first > /tmp/file")
    with session.snapshot() as snapshot:
        one, other = start(snapshot=snapshot), start(snapshot=snapshot)
        shell(one, "echo second > /tmp/file; rm /etc/hosts")
        shell(session, "rm /tmp/file")
        assert shell(other, "cat /tmp/file; ls /etc/hosts").text.split() == ["first", "/etc/hosts"]
        assert shell(start(snapshot=snapshot), "cat /tmp/file").output == b"first\n"


def test_no_process_is_in_a_snapshot(start: Start) -> None:
    session, marker = start(), new_marker()
    shell(session, f"(exec -a {marker} sleep 1000) >/dev/null 2>&1 </dev/null &")
    assert becomes_true(lambda: len(marked(marker)) == 1)
    with session.snapshot() as snapshot:
        branch = start(snapshot=snapshot)
        assert branch.run(["/bin/echo", "hi"]).output == b"hi\n"
        assert len(marked(marker)) == 1


# What is left


def _mounts() -> list[str]:
    return [line.split(" ", 3)[3] for line in Path("/proc/self/mountinfo").read_text().splitlines()]


def _children(pid: int) -> set[int]:
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if parent(int(folder.name)) == pid:
                found.add(int(folder.name))
        except (OSError, StopIteration):
            continue
    return found


def _family(pid: int) -> set[int]:
    """All processes below *pid*, with it."""
    found = {pid}
    for child in _children(pid):
        found |= _family(child)
    return found


def test_nothing_is_left_of_a_session_after_close(sandbox: EmbeddedSandbox, image: Image) -> None:
    """No process, no group, no descriptor; twenty of them, used and unused, closed in the order they came."""
    sandbox.start(image).close()
    assert becomes_true(lambda: groups() == [] or sandbox.start(image).close() is not None)
    before, family = descriptors(), _family(os.getpid())
    sessions = [sandbox.start(image) for _ in range(20)]
    for session in sessions[::2]:
        shell(session, "sleep 1000 & echo > /tmp/file")
    firsts = [first_process(session) for session in sessions[:4]]
    for session in sessions:
        session.close()
    assert descriptors() == before
    assert becomes_true(lambda: not any(Path(f"/proc/{pid}").exists() for pid in firsts))
    assert becomes_true(lambda: _family(os.getpid()) <= family)


def test_nothing_is_left_of_a_sandbox_after_close(image: Image) -> None:
    """Nor of sessions that were not closed, snapshots, programs that stay: the mounts and the children are as before."""
    before = descriptors(), _children(os.getpid()), _mounts(), set(groups())
    with EmbeddedSandbox() as sandbox:
        sessions = [sandbox.start(image) for _ in range(3)]
        firsts = [first_process(session) for session in sessions]
        with sessions[0].snapshot() as snapshot:
            sandbox.start(image, snapshot=snapshot)
        process = sessions[1].open(["/bin/sleep", "1000"])
        assert _children(os.getpid()) > before[1]
    process.close()
    assert not any(Path(f"/proc/{pid}").exists() for pid in firsts)
    assert (descriptors(), _children(os.getpid()), _mounts()) == before[:3]
    assert set(groups()) <= before[3]


def test_a_session_that_fails_to_start_leaves_nothing(image: Image) -> None:
    """Limits that no session can live with: an error, and then nothing."""
    from intercode.sandboxes.base import Limits

    with EmbeddedSandbox() as sandbox:
        sandbox.start(image).close()
        before, children = descriptors(), _family(os.getpid())
        with pytest.raises(SandboxError):
            sandbox.start(image, limits=Limits(inodes=3))
        assert descriptors() == before
        assert becomes_true(lambda: _family(os.getpid()) <= children)


CHILD = """
import os, sys, threading, time
from intercode.sandboxes.embedded import EmbeddedSandbox
from intercode.sandboxes.images import find
sandbox, image, marker = EmbeddedSandbox(), find("host"), sys.argv[1]
sessions = [sandbox.start(image) for _ in range(3)]
snapshot = sessions[0].snapshot()
for session in sessions:
    session.run(["/bin/bash", "-c", f"(trap '' TERM; exec -a {marker} sleep 1000) >/dev/null 2>&1 </dev/null & echo > /tmp/file"])
busy = sessions[0].open(["/bin/bash", "-c", f"exec -a {marker} yes"])
"""
STAY = "print('ready', flush=True)\ntime.sleep(1000)\n"
START_ON = "print('ready', flush=True)\nwhile True: sessions.append(sandbox.start(image))\n"
LEAVE = "print('ready', flush=True)\nsys.stdin.readline()\n"


@contextmanager
def user_of_sandboxes(how: str, marker: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another Python that holds live sessions, with temporary files of its own."""
    environment = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen([sys.executable, "-c", CHILD + how, marker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=environment) as child:  # fmt: skip
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            yield child
        finally:
            child.kill()


@pytest.mark.parametrize("how", [STAY, START_ON], ids=["at-rest", "while-starting"])
def test_nothing_is_left_of_a_process_that_was_killed(how: str, tmp_path: Path) -> None:
    """`kill -9` leaves no time to clean up: within two seconds all is gone by itself."""
    marker = new_marker()
    mounts = _mounts()
    with user_of_sandboxes(how, marker, tmp_path) as child:
        assert becomes_true(lambda: len(marked(marker)) == 5)  # with the child's own command line
        family = _family(child.pid)
        assert len(family) > 6
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert becomes_true(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family), 2)
    assert marked(marker) == []
    assert _mounts() == mounts
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_a_process_that_forgot_to_close(tmp_path: Path) -> None:
    marker = new_marker()
    with user_of_sandboxes(LEAVE, marker, tmp_path) as child:
        family = _family(child.pid)
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.wait(10) == 0
        assert becomes_true(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family), 2)
    assert list(tmp_path.iterdir()) == []


def test_the_groups_of_a_killed_process_are_removed_by_the_next(tmp_path: Path) -> None:
    """Nobody is left to remove them at once: they are empty folders until somebody comes."""
    where = memory.parent()
    if where is None:
        pytest.skip("no memory group is to be had here")
    with user_of_sandboxes(STAY, new_marker(), tmp_path) as child:
        pattern = f"intercode-{child.pid}-*"
        assert len(list(where[0].glob(pattern))) == 3
    subprocess.run(
        [sys.executable, "-c", "from intercode.sandboxes.bubblewrap import memory; memory.parent()"], check=True
    )
    assert becomes_true(lambda: list(where[0].glob(pattern)) == [], 0)


def test_the_death_of_bubblewrap_ends_its_sessions_and_no_others(image: Image) -> None:
    """Killed from outside, by whatever: an error for those in it, and the next session starts another."""
    with EmbeddedSandbox() as sandbox, EmbeddedSandbox() as other:
        session, unharmed, marker = sandbox.start(image), other.start(image), new_marker()
        before = _children(os.getpid())
        shell(session, f"(exec -a {marker} sleep 1000) >/dev/null 2>&1 </dev/null &")
        zygote = parent(first_process(session))
        os.kill(zygote, signal.SIGKILL)
        assert becomes_true(lambda: marked(marker) == [])
        with pytest.raises(SandboxGone):
            session.run(["/bin/true"])
        assert unharmed.run(["/bin/echo", "hi"]).output == b"hi\n"
        assert becomes_true(lambda: _starts(sandbox, image))
        session.close()
        assert len(_children(os.getpid())) <= len(before) + 1


def test_sessions_outlive_the_thread_that_started_them(sandbox: EmbeddedSandbox, image: Image) -> None:
    """Bubblewrap's own way of ending goes by the thread that started it."""
    found: list[Session] = []
    thread = threading.Thread(target=lambda: found.append(sandbox.start(image)))
    thread.start()
    thread.join()
    time.sleep(0.1)
    with found[0] as session:
        assert session.run(["/bin/echo", "hi"]).output == b"hi\n"


def _starts(sandbox: EmbeddedSandbox, image: Image) -> bool:
    try:
        with sandbox.start(image) as session:
            return session.run(["/bin/echo", "hi"]).output == b"hi\n"
    except SandboxError:
        return False
