"""A session in which no process is left is looked at once, and not again until something may have changed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.embedded.control_groups.groups import REUSED_BELOW
from intercode_sandbox.embedded.scratch import upper
from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.runner.protocol import NO_VERSION
from intercode_sandbox.sandbox import Limits, Session

IMAGE = images.find("host")

memory_only = pytest.mark.skipif(upper() == "disk", reason="only of files in memory are times of change believed")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[EmbeddedSandbox]:
    with EmbeddedSandbox() as sandbox:
        yield sandbox


@pytest.fixture
def session(sandbox: EmbeddedSandbox) -> Iterator[EmbeddedSession]:
    with sandbox.start(IMAGE) as session:
        assert isinstance(session, EmbeddedSession)
        yield session


def paths(session: EmbeddedSession) -> list[str]:
    return [change.path for change in session.changes()]


def is_quiet(session: EmbeddedSession) -> bool:
    return session._channel.quiet


def sh(session: Session, text: str) -> str:
    return session.run(["/bin/bash", "-c", text]).text


def test_what_each_command_does_is_seen(session: EmbeddedSession) -> None:
    assert paths(session) == []
    for number in range(3):
        sh(session, f"echo x > /tmp/{number}")
        assert paths(session) == paths(session) == [f"/tmp/{each}" for each in range(number + 1)]
    sh(session, "rm /tmp/0; echo more >> /tmp/1")
    assert paths(session) == ["/tmp/1", "/tmp/2"]
    assert session.changes()[0].after is not None


def test_what_a_process_in_the_background_does_is_seen(session: EmbeddedSession) -> None:
    sh(session, "(sleep 1000; echo late > /tmp/late) >/dev/null 2>&1 &")
    assert not session._channel.quiet
    assert paths(session) == []
    sh(session, "until [ -s /tmp/late ]; do pkill -x sleep; sleep 0.05; done")
    assert paths(session) == ["/tmp/late"]


@pytest.mark.parametrize(
    "hidden",
    [
        "setsid sleep 300 >/dev/null 2>&1 &",
        "(setsid sleep 300 >/dev/null 2>&1 &) & wait",
        "coproc sleep 300",
        "exec 3< <(sleep 300)",
    ],
)
def test_whoever_is_left_is_seen_and_killed(session: EmbeddedSession, hidden: str) -> None:
    sh(session, hidden)
    assert not is_quiet(session)
    session.kill()
    assert is_quiet(session)
    assert sh(session, "pgrep -x sleep") == ""


def version(session: EmbeddedSession) -> bytes:
    """The version of the upper layer once its times are old enough to tell."""
    deadline = time.monotonic() + 60
    while (found := _version_after(session, "true")) == NO_VERSION:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


def _version_after(session: EmbeddedSession, text: str) -> bytes:
    sh(session, text)
    return session._channel.version


@memory_only
def test_what_changes_nothing_leaves_the_version_and_the_changes_as_they_were(session: EmbeddedSession) -> None:
    sh(session, "echo x > /tmp/a; mkdir -p /tmp/d/e; ln -s a /tmp/l")
    before = version(session)
    known = session.changes()
    assert version(session) == before
    assert all(new is old for new, old in zip(session.changes(), known, strict=True))


READ_THEN_WRITE = """
import mmap, os, sys
maps = [mmap.mmap(os.open(path, os.O_RDWR), 0) for path in sys.argv[1::2]]
seen = [each[:] for each in maps]
for each, new in zip(maps, sys.argv[2::2]):
    each[:] = new.encode()
"""
"""Sets no time of change: the page is there, and may be written to, once it was read."""

CHANGE_LAST_BYTE = """
import mmap, os
found = mmap.mmap(os.open("/tmp/a", os.O_RDWR), 0)
found[:]
found[-1:] = b"y"
"""


@memory_only
@pytest.mark.parametrize(
    "change",
    [
        "printf b > /tmp/a",
        "printf b | dd of=/tmp/a conv=notrunc status=none",
        "printf b | dd of=/tmp/a conv=notrunc status=none; touch -d '2001-02-03' /tmp/a",
        "chmod 600 /tmp/a",
        "touch -d '2001-02-03' /tmp/a",
        "mv /tmp/a /tmp/b",
        "ln /tmp/a /tmp/b",
        "rm /tmp/a",
        "mv /tmp/a /tmp/d/e/f/a",
        "printf b > /tmp/d/e/f/new",
        "rm -r /tmp/d",
        "rm /etc/hostname",
        "rm -r /tmp/d && mkdir -p /tmp/d/e/f",
        "python3 -c \"import mmap; f = open('/tmp/a', 'r+b'); mmap.mmap(f.fileno(), 1)[0:1] = b'b'\"",
        f"python3 -c '{READ_THEN_WRITE}' /tmp/a b",
    ],
)
def test_every_kind_of_change_shows_in_the_version(session: EmbeddedSession, change: str) -> None:
    sh(session, "printf a > /tmp/a; mkdir -p /tmp/d/e/f")
    before = version(session)
    sh(session, change)
    assert session._channel.quiet
    assert version(session) != before


@memory_only
def test_two_files_that_swap_their_contents_unnoticed_are_seen(session: EmbeddedSession) -> None:
    sh(session, "printf one > /tmp/a; printf two > /tmp/b")
    before, known = version(session), session.changes()
    sh(session, f"python3 -c '{READ_THEN_WRITE}' /tmp/a two /tmp/b one")
    assert version(session) != before
    assert session.changes() != known
    assert sh(session, "cat /tmp/a /tmp/b") == "twoone"


@memory_only
@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 28671, 28672, 28673, 200_000])
def test_the_last_byte_of_a_file_shows_in_the_version(session: EmbeddedSession, size: int) -> None:
    """Whatever its length: it is read in blocks, and hashed in words."""
    sh(session, f"head -c {size} /dev/zero > /tmp/a; printf x >> /tmp/a")
    before = version(session)
    assert version(session) == before
    sh(session, f"python3 -c '{CHANGE_LAST_BYTE}'")
    assert sh(session, "tail -c 1 /tmp/a") == "y"
    assert version(session) != before


@memory_only
def test_more_than_process_1_reads_is_always_read_by_the_host(session: EmbeddedSession) -> None:
    sh(session, "head -c 300000 /dev/zero | tr '\\0' x > /tmp/a")
    known = session.changes()
    time.sleep(0.05)
    assert _version_after(session, "true") == NO_VERSION
    sh(session, f"python3 -c '{CHANGE_LAST_BYTE}'")
    assert session.changes() != known


def test_what_is_changed_at_once_in_place_is_seen_each_time(session: EmbeddedSession) -> None:
    """Times of change may be the same then: a clock that has not moved on tells nothing."""
    digests = set()
    for number in range(100):
        sh(session, f"printf %03d {number} | dd of=/tmp/a conv=notrunc status=none")
        (change,) = session.changes()
        assert change.after is not None
        digests.add(change.after.digest)
    assert len(digests) == 100


def test_what_a_mapping_of_a_living_process_changes_is_seen(session: EmbeddedSession) -> None:
    """Its first write sets the file's time, later ones do not."""
    code = "import mmap; f = open('/tmp/a', 'r+b'); m = mmap.mmap(f.fileno(), 1); m[0:1] = b'b'; print(flush=True)"
    sh(session, "printf a > /tmp/a")
    with session.open(["python3", "-c", f"{code}; input(); m[0:1] = b'c'"]) as process:
        assert process.receive(60) == b"\n"
        seen = session.changes()
        process.send(b"\n")
        deadline = time.monotonic() + 60
        while process.exit_code is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    sh(session, "true")
    assert session.changes() != seen


def test_a_session_is_quiet_once_all_have_ended(session: EmbeddedSession) -> None:
    sh(session, "sleep 0.01 & wait; true | cat")
    assert session._channel.quiet


def test_a_program_that_stays_keeps_it_from_being_quiet(session: EmbeddedSession) -> None:
    with session.open(["/bin/cat"]) as process:
        sh(session, "true")
        assert not session._channel.quiet
        process.send(b"x\n")
        assert process.receive(60) == b"x\n"


def test_what_is_written_from_outside_is_seen(session: EmbeddedSession) -> None:
    assert paths(session) == []
    session.write("/tmp/given", b"one")
    assert paths(session) == ["/tmp/given"]
    before = session.changes()
    session.write("/tmp/given", b"two")
    assert session.changes() != before


def test_the_list_of_changes_is_the_callers_own(session: EmbeddedSession) -> None:
    sh(session, "echo x > /tmp/x")
    session.changes().clear()
    assert paths(session) == ["/tmp/x"]


def test_a_group_that_still_holds_memory_is_not_handed_on(sandbox: EmbeddedSandbox) -> None:
    """Where there are groups: the limit of the next session is whole."""
    limits = Limits(memory=64 << 20, disk=64 << 20)
    for _ in range(6):
        with sandbox.start(IMAGE, limits=limits) as session:
            said = sh(session, "head -c 60M /dev/zero > /tmp/full; python3 -c 'x = bytearray(40 << 20); print(len(x))'")
            assert said == f"{40 << 20}\n"
    assert REUSED_BELOW < 32 << 20


def test_a_session_after_one_that_ran_out_of_memory_is_as_good_as_any(sandbox: EmbeddedSandbox) -> None:
    limits = Limits(memory=64 << 20, disk=32 << 20)
    for _ in range(4):
        with sandbox.start(IMAGE, limits=limits) as session:
            died = session.run(["/bin/bash", "-c", "python3 -c 'x = bytearray(1 << 30)'"])
            assert died.exit_code != 0
        with sandbox.start(IMAGE, limits=limits) as session:
            assert sh(session, "sleep 5 & kill -9 $!; wait $!; echo $?").endswith("137\n")


def test_a_file_that_somebody_outside_writes_to_is_always_looked_at_again(session: EmbeddedSession) -> None:
    descriptor = session.open_path("/tmp/outside", os.O_WRONLY | os.O_CREAT, mode=0o644)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        sizes = []
        for _ in range(3):
            (change,) = session.changes()
            assert change.after is not None
            sizes.append(change.after.size)
            file.write(b"more")
    assert sizes == [0, 4, 8]


@pytest.mark.parametrize(
    "command", ["true", "ls -lR /etc >/dev/null", "exec 3< /etc/passwd; sleep 0.1 & wait", "exit 3"]
)
def test_a_session_that_was_only_read_is_pristine(session: EmbeddedSession, command: str) -> None:
    assert session.is_pristine()
    sh(session, command)
    assert session.is_pristine()


OR_A_FILE = "2> /dev/null || touch /made"
"""Without control groups objects of System V are refused."""


@pytest.mark.parametrize(
    "trace",
    [
        "chmod 700 /dev/shm",
        "touch /dev/made; rm /dev/made",
        "mkdir /made; rmdir /made",
        "ln -s a /dev/b",
        "touch /dev/shm/made",
        "touch /dev/shm/made; rm /dev/shm/made",
        f"ipcmk -M 100 {OR_A_FILE}",
        f"ipcmk -Q {OR_A_FILE}",
        f"ipcmk -S 2 {OR_A_FILE}",
        "(exec 3<> /dev/tcp/127.0.0.1/1) 2> /dev/null || true",
        "echo > /dev/udp/127.0.0.1/9",
    ],
)
def test_what_was_left_in_memory_or_undone_again_shows(session: EmbeddedSession, trace: str) -> None:
    assert session.run(["/bin/bash", "-c", trace]).exit_code == 0
    assert not session.is_pristine()
