"""Attacks on the limits of what is written, as kernels before 6.6 need them: on disk, and with trusted attributes."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from intercode_sandbox.embedded import EmbeddedSandbox, scratch
from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.embedded.user_namespace import find_user
from intercode_sandbox.images import Image
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.sandbox import Limits, Session
from intercode_sandbox.testing.patience import patience

from .host import new_marker, shell

MEBIBYTE = 1 << 20
LIMITS = Limits(disk=16 * MEBIBYTE, inodes=1000, seconds=patience(30))
MANY = "for i in $(seq 300); do head -c 2M /dev/zero > {place}/f$i; sleep 0.02; done; echo survived"
HELD = """for i in $(seq 10 300)
    do eval "exec $i>/tmp/h; rm /tmp/h; head -c 2M /dev/zero >&$i"; sleep 0.02
    done; echo survived"""
WRITERS = {
    "many files": MANY.format(place="/tmp"),
    "memory that is a folder on disk": MANY.format(place="/dev/shm"),
    "a folder that nobody may enter": "mkdir -m 0 /tmp/closed; " + MANY.format(place="/tmp/closed"),
    "deep down": "cd /tmp; mkdir -p $(printf 'd/%.0s' {1..500}); " + MANY.format(place="$(printf 'd/%.0s' {1..500})"),
    "deleted files": HELD,
    "empty files": "for i in $(seq 100000); do : > /tmp/$i; done; echo survived",
    "in the background": f"({MANY.format(place='/tmp')}) >/dev/null & wait; echo survived",
}

HIDDEN = """
import mmap, os, socket, sys, time
kept, (near, far) = [], socket.socketpair()
for i in range(100):
    file = os.open("/tmp/hidden", os.O_RDWR | os.O_CREAT)
    os.unlink("/tmp/hidden")
    os.write(file, bytes(1 << 20))
    if sys.argv[1] == "mapped":
        kept.append(mmap.mmap(file, 4096))
    else:
        socket.send_fds(near, [b"x"], [file])
    os.close(file)
    time.sleep(0.02)
print("survived")
"""


@pytest.fixture(scope="module")
def on_disk() -> Iterator[EmbeddedSandbox]:
    with EmbeddedSandbox(on_disk=True, limits=LIMITS) as sandbox:
        yield sandbox


@pytest.fixture
def session(on_disk: EmbeddedSandbox, image: Image) -> Iterator[EmbeddedSession]:
    with on_disk.start(image) as session:
        yield cast(EmbeddedSession, session)


@pytest.mark.parametrize("how", WRITERS)
def test_who_writes_more_to_the_disk_than_allowed_is_killed(session: Session, how: str) -> None:
    """And can go on afterwards: remove what is too much, and write again."""
    result = shell(session, WRITERS[how])
    assert "survived" not in result.text
    assert result.exit_code == 137
    assert not result.timed_out
    shell(session, "rm -rf /tmp/* /dev/shm/*")
    assert shell(session, "head -c 4M /dev/zero > /tmp/again; sleep 0.3; wc -c < /tmp/again").text == f"{4 << 20}\n"


def test_who_removes_is_not_killed_for_what_others_wrote_before(session: EmbeddedSession) -> None:
    """What is too much came between two looks (here from the host): the next command finds it, and takes it away."""
    session.write("/tmp/big", b"")
    file = session.open_upper("/tmp/big", os.O_WRONLY)
    time.sleep(0.3)  # nobody lives now, so nobody looks any more
    with os.fdopen(file, "wb") as big:
        big.write(bytes(LIMITS.disk * 2))
    result = shell(session, "sleep 0.3; rm /tmp/big; echo fine > /tmp/made; cat /tmp/made")
    assert (result.text, result.exit_code) == ("fine\n", 0)


def test_commands_that_end_between_two_looks_do_not_add_up(session: EmbeddedSession) -> None:
    """Nobody is left to be killed: once the disk is full no command writes a large file, until there is room again."""
    codes = [shell(session, f"head -c 4M /dev/zero > /tmp/f{number}").exit_code for number in range(80)]
    assert 153 in codes, "ended by SIGXFSZ"
    written = int(shell(session, "du -sm /tmp").text.split()[0])
    assert written < 8 * LIMITS.disk // MEBIBYTE, "what is written in 50 ms, not all 320"
    shell(session, "rm /tmp/*")  # which itself may write nothing, where twice the limit is used
    assert shell(session, "echo fine > /tmp/again; cat /tmp/again").text == "fine\n"
    assert shell(session, "head -c 4M /dev/zero > /tmp/large").exit_code == 0


REFUSED = (1, 153, 137)
"""Ends of who cannot write: told so, by SIGXFSZ, or killed by process 1, which may look at just that moment."""


def test_small_files_on_a_full_disk_do_not_add_up_either(session: EmbeddedSession) -> None:
    """Room is left for tidying up, and not for twice the limit."""
    for number in range(3):
        session.write(f"/tmp/big{number}", b"")
        with os.fdopen(session.open_upper(f"/tmp/big{number}", os.O_WRONLY), "wb") as big:
            big.write(bytes(LIMITS.disk - MEBIBYTE * (number == 0)))
        shell(session, "sleep 1")  # a look
    assert shell(session, "echo x > /tmp/small").exit_code in REFUSED
    assert shell(session, "rm /tmp/big*; echo fine > /tmp/small; cat /tmp/small").exit_code in REFUSED
    shell(session, "rm -f /tmp/big*")  # who was killed by a look has removed nothing
    assert shell(session, "echo fine > /tmp/small; cat /tmp/small").text == "fine\n"


@pytest.mark.parametrize("how", ["mapped", "underway in a socket"])
def test_deleted_files_that_nobody_can_measure_are_few(session: Session, how: str) -> None:
    """Neither their names nor their descriptors are left, but what was written is still on the disk."""
    result = session.run(["/usr/bin/python3", "-c", HIDDEN, how])
    assert "survived" not in result.text
    assert result.exit_code == 137
    assert shell(session, "echo fine").output == b"fine\n"


RESERVE = """
import ctypes, fcntl, os, struct
libc, done = ctypes.CDLL(None, use_errno=True), 0
for i in range(2000):
    file = os.open(f"/tmp/{i}", os.O_RDWR | os.O_CREAT)
    done += libc.fallocate(file, 0, ctypes.c_long(0), ctypes.c_long(10 << 20)) == 0
    for command in (0x40305828, 0x4030582A, 0x40305839):
        try:
            done += fcntl.ioctl(file, command, struct.pack("=hhqqiI4q", 0, 0, 0, 10 << 20, 0, 0, 0, 0, 0, 0)) == 0
        except OSError:
            pass
    os.close(file)
    os.unlink(f"/tmp/{i}")
print(done)
"""


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_room_cannot_be_taken_without_writing(session: Session, folder: str) -> None:
    """The kernel gives gigabytes in a moment, to who asks: faster than anybody can look."""
    result = session.run(["/usr/bin/python3", "-c", RESERVE.replace("/tmp", folder)])
    assert result.text == "0\n"
    libc = "import os; f = os.open('/tmp/f', os.O_RDWR | os.O_CREAT); os.posix_fallocate(f, 0, 1 << 20)"
    assert session.run(["/usr/bin/python3", "-c", libc]).exit_code == 0, "the C library writes instead"


def test_one_file_never_gets_past_the_limit(session: Session) -> None:
    """However fast it is written: the kernel ends it."""
    result = shell(session, "head -c 500M /dev/zero > /tmp/big; stat -c %s /tmp/big")
    assert result.text.splitlines()[-1] == str(LIMITS.disk)
    assert shell(session, "rm /tmp/big; echo fine").output == b"fine\n"


def test_what_is_allowed_is_let_alone(session: Session) -> None:
    """Many names of one file, holes, files that are rewritten again and again, memory without a name."""
    script = """
        head -c 8M /dev/urandom > /tmp/a; for i in $(seq 50); do ln /tmp/a /tmp/a$i; done
        truncate -s 12M /tmp/hole
        for i in $(seq 20); do head -c 4M /dev/zero > /tmp/again; sleep 0.05; done
        sleep 0.3; echo fine"""
    assert shell(session, script).output == b"fine\n"


def test_nobody_else_pays_for_it(on_disk: EmbeddedSandbox, session: Session, image: Image) -> None:
    with on_disk.start(image) as other:
        marker = new_marker()
        with closing(other.open(["/bin/bash", "-c", f"exec -a {marker} sleep 100"])) as process:
            assert shell(session, WRITERS["many files"]).exit_code == 137
            assert process.exit_code is None


def test_what_overlayfs_closes_is_opened_before_it_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every end of an ordinary user's session takes a sandbox of its own, and a hundred times as long."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path))
    modes: list[int] = []
    with closing(scratch.Scratch(find_user(), lambda folder: modes.extend(_modes(folder)))) as folders:
        number = folders.acquire()
        (folders.root / str(number) / "w" / "work").mkdir(parents=True, mode=0)
        folders.release(number)
    assert 0o700 in modes
    assert 0 not in modes


def _modes(folder: Path) -> list[int]:
    return [stat.S_IMODE(path.stat().st_mode) for path in folder.glob("w/work")]


# Trusted attributes


@pytest.fixture
def staged_sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedSandbox]:
    """As before Linux 6.6: its overlays are mounted by a process of root's."""
    if os.geteuid() != 0 or not scratch.holds("trusted.intercode"):
        pytest.skip("only root of the machine can have overlays with trusted attributes mounted")
    monkeypatch.setattr(scratch, "upper", lambda: "trusted")
    with EmbeddedSandbox(limits=LIMITS) as sandbox:
        yield sandbox


@pytest.fixture
def staged(staged_sandbox: EmbeddedSandbox, image: Image) -> Iterator[EmbeddedSession]:
    with cast(EmbeddedSession, staged_sandbox.start(image)) as session:
        yield session


def test_an_overlay_that_root_mounted_gives_a_session_no_right_of_roots(staged: EmbeddedSession) -> None:
    """It can neither mount it anew, nor set or see its marks, nor make devices or programs with rights on it."""
    attempts = """
        mount -o remount,suid,dev / ; umount / ; mknod /tmp/null c 1 3 ; mknod /tmp/disk b 254 0
        setfattr -n trusted.overlay.opaque -v y /etc ; setfattr -n trusted.mine -v y /tmp"""
    for attempt in attempts.strip().replace("\n", ";").split(";"):
        assert shell(staged, attempt.strip()).exit_code != 0, attempt
    shell(staged, "rm -r /home && mkdir /home && mkdir /home/user && echo x > /home/user/file")
    marks = "import os,sys; sys.exit(any('trusted' in n for p in ('/', '/home', '/etc') for n in os.listxattr(p)))"
    assert staged.run(["/usr/bin/python3", "-c", marks]).exit_code == 0
    shown = shell(staged, "grep ' / / ' /proc/self/mountinfo").text
    assert "nosuid,nodev" in shown
    assert "userxattr" not in shown
    assert os.stat(staged.upper).st_uid != 0


def test_a_file_copied_up_stays_the_sessions_own(staged: EmbeddedSession) -> None:
    """Root mounted the overlay; nothing that is made through it is root's."""
    shell(staged, "echo x >> /etc/passwd; chown 1000:1000 /etc/hosts; mkdir -p /opt/a/b; chmod u+s /etc/passwd")
    base = os.stat(staged.upper).st_uid
    owners = {change.path: change.after.uid for change in staged.changes() if change.after}
    assert owners["/etc/passwd"] == 0
    assert owners["/etc/hosts"] == 1000
    etc = os.open("etc", os.O_RDONLY | os.O_DIRECTORY, dir_fd=staged.upper)
    try:
        assert os.stat("passwd", dir_fd=etc).st_uid == base
    finally:
        os.close(etc)


def test_the_limits_are_the_file_systems_own(staged: EmbeddedSession) -> None:
    result = shell(staged, "for i in $(seq 30); do head -c 1M /dev/zero > /dev/shm/$i || exit 9; done")
    assert result.exit_code == 9
    assert "No space left" in result.text
    assert shell(staged, "rm /dev/shm/*; for i in $(seq 2000); do : > /tmp/$i || exit 9; done").exit_code == 9


def test_folders_that_layers_hide_stay_hidden(staged_sandbox: EmbeddedSandbox, image: Image) -> None:
    """Layers say so in user attributes, also those made here; a stager's overlay looks at trusted ones."""
    script = f"rm -r /home && mkdir /home && echo {new_marker()} > /home/mine"
    layered = image.with_layers(ScriptLayer(script.encode()))
    with staged_sandbox.start(layered) as session:
        assert shell(session, "ls /home").text == "mine\n"
        assert session.changes() == []
        shell(session, "rm -r /home; mkdir /home")
        assert [change.path for change in session.changes() if not change.after] == ["/home/mine"]
        with session.snapshot() as snapshot, staged_sandbox.start(layered, snapshot=snapshot) as branch:
            assert shell(branch, "ls -A /home").text == ""
            assert branch.changes() == session.changes()


@pytest.mark.parametrize("script", ["head -c 1G /dev/zero > /opt/big", "touch /opt/{1..2000}"], ids=["bytes", "files"])
def test_a_full_disk_can_be_branched_from_and_stays_full(
    staged: EmbeddedSession, staged_sandbox: EmbeddedSandbox, image: Image, script: str
) -> None:
    """The stager leaves spare room for the branch while it is laid out, and takes it back itself."""
    assert shell(staged, script).exit_code != 0
    with staged.snapshot() as snapshot, staged_sandbox.start(image, snapshot=snapshot) as branch:
        assert branch.changes() == staged.changes()
        assert shell(branch, "mkdir /more && head -c 64K /dev/zero > /more/x").exit_code != 0


# Which of them it is


@pytest.mark.parametrize(
    ("forced", "held", "kernel", "user", "expected"),
    [
        ("", ("user.", "trusted."), "6.12.1-amd64", 0, "tmpfs"),
        ("", ("trusted.",), "6.1.0-56-cloud-amd64", 0, "trusted"),
        ("", ("trusted.",), "6.1.0-56-cloud-amd64", 1000, "disk"),
        ("", (), "5.15", 0, "disk"),
        ("", (), "6.6.0", 1000, "tmpfs"),
        ("disk", ("user.", "trusted."), "6.12", 0, "disk"),
        ("trusted", ("user.", "trusted."), "6.12", 0, "trusted"),
    ],
)
def test_the_best_that_there_is_is_chosen(
    monkeypatch: pytest.MonkeyPatch, forced: str, held: tuple[str, ...], kernel: str, user: int, expected: str
) -> None:
    """Where a tmpfs may not be tried, as /dev/shm is something else, the kernel's number decides."""
    monkeypatch.setenv("INTERCODE_SCRATCH", forced)
    monkeypatch.setattr(scratch, "holds", lambda name: name.startswith(held) if held else False)
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "", kernel, "", "")))
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert scratch.upper.__wrapped__() == expected
