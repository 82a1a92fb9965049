"""What a command prints is the same whether process 1 sends it with the command's end or the host reads a pipe."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from intercode_sandbox import images
from intercode_sandbox.deadline import Deadline
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.runner import protocol
from intercode_sandbox.runner.channel import Channel
from intercode_sandbox.runner.command import RunningCommand
from intercode_sandbox.sandbox import Limits, Session

IMAGE = images.find("host")

PACKETS = """
import fcntl, os
fcntl.fcntl(1, fcntl.F_SETFL, os.O_DIRECT | os.O_WRONLY)
for _ in range(100):
    os.write(1, b"x")
"""
"""Each byte takes a page of the pipe then: it is full of sixteen."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[EmbeddedSandbox]:
    with EmbeddedSandbox() as sandbox:
        yield sandbox


@pytest.fixture
def session(sandbox: EmbeddedSandbox) -> Iterator[Session]:
    with sandbox.start(IMAGE) as session:
        yield session


def sh(session: Session, text: str) -> bytes:
    return session.run(["/bin/bash", "-c", text]).output


@pytest.mark.parametrize("size", [0, 1, 4096, 16384, 16385, 65536, 65537, 1_000_000])
def test_output_of_any_size_is_whole(session: Session, size: int) -> None:
    result = session.run(["/bin/bash", "-c", f"head -c {size} /dev/zero | tr '\\0' a; exit 3"])
    assert (result.output, result.exit_code, result.output_bytes) == (b"a" * size, 3, size)
    assert not result.truncated


@pytest.mark.parametrize("size", [100, 20_000, 200_000])
def test_what_is_beyond_the_limit_is_counted(sandbox: EmbeddedSandbox, size: int) -> None:
    with sandbox.start(IMAGE, limits=Limits(output=50)) as session:
        result = session.run(["/bin/bash", "-c", f"head -c {size} /dev/zero | tr '\\0' a"])
        assert (result.output, result.truncated, result.output_bytes) == (b"a" * 50, True, size)


def test_output_that_comes_bit_by_bit_is_whole(session: Session) -> None:
    assert sh(session, "for i in 1 2 3 4; do echo $i; sleep 0.1; done") == b"1\n2\n3\n4\n"


def test_a_pipe_that_is_full_of_few_bytes_stops_nobody(session: Session) -> None:
    assert session.run(["python3", "-c", PACKETS]).output == b"x" * 100


def test_both_streams_come_in_their_order(session: Session) -> None:
    assert (
        sh(session, "echo a; echo b >&2; echo c; echo d > /dev/stderr; stat -Lc %u /dev/stdout") == b"a\nb\nc\nd\n0\n"
    )


def test_a_child_in_the_background_keeps_nobody_waiting(session: Session) -> None:
    result = session.run(["/bin/bash", "-c", "sleep 30 & echo hi"])
    assert result.output == b"hi\n"
    assert result.seconds < 20


def test_what_was_printed_before_the_time_limit_is_kept(session: Session) -> None:
    result = session.run(["/bin/bash", "-c", "echo hi; sleep 30"], timeout=3)
    assert (result.output, result.timed_out) == (b"hi\n", True)


def test_commands_of_several_threads_get_their_own_output(session: Session) -> None:
    found: dict[int, bytes] = {}

    def run(number: int) -> None:
        found[number] = sh(session, f"for i in {{1..30000}}; do echo {number} $i; done")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: "".join(f"{n} {i}\n" for i in range(1, 30001)).encode() for n in range(4)}


def test_no_descriptor_is_left(session: Session) -> None:
    commands = ["true", "sleep 30 & echo hi", "seq 100000", "echo hi; sleep 0.2", "no-such-command"]
    for command in commands:
        sh(session, command)
    session.kill()
    before = len(os.listdir("/proc/self/fd"))
    for command in commands * 3:
        sh(session, command)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_reply_that_promises_more_output_than_it_has_is_none() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        for promised in (1, 1 << 40, (1 << 64) - 1):
            theirs.send(struct.pack("=IIiI16sQ16x", ord("E"), 1, 0, 1, bytes(16), promised))
            assert protocol.receive(ours) is None
        theirs.send(struct.pack("=IIiI16sQ16x", ord("E"), 1, 0, 1, bytes(16), 2) + b"hi")
        reply = protocol.receive(ours)
        assert reply is not None
        assert (reply.output, reply.listing) == (b"hi", None)


def test_a_file_that_was_listed_reads_as_the_session_shows_it(session: Session) -> None:
    sh(session, "mkdir /tmp/a; echo one > /tmp/a/f; ln -s a /tmp/link")
    assert [change.path for change in session.changes()] == ["/tmp/a", "/tmp/a/f", "/tmp/link"]
    assert session.read("/tmp/a/f") == session.read("/tmp/link/f") == session.read("/tmp/a/../a/f") == b"one\n"
    assert session.read("/tmp/a/f", limit=2) == b"on"
    session.write("/tmp/a/f", b"two\n")
    assert session.read("/tmp/a/f") == b"two\n"
    sh(session, "echo three > /tmp/a/f")
    assert session.read("/tmp/a/f") == b"three\n"
    session.changes()
    sh(session, "mv /tmp/a /tmp/b; mkdir /tmp/c; echo four > /tmp/c/f; ln -s c /tmp/a")
    session.changes()
    assert session.read("/tmp/a/f") == b"four\n"
    sh(session, "rm /tmp/c/f")
    with pytest.raises(FileNotFoundError):
        session.read("/tmp/c/f")


def test_output_without_an_end_keeps_nobody_waiting() -> None:
    """Whoever has taken over process 1 sends what it likes in place of a pipe."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def answer() -> None:
        theirs.recv(1 << 18)
        with open("/dev/zero", "rb") as zero:
            end = struct.pack("=IIiI16sQ16x", ord("E"), 1, 0, 1, bytes(16), 0)
            socket.send_fds(theirs, [end], [zero.fileno()])

    with theirs, closing(Channel(ours, "an image", os.geteuid())) as channel:
        thread = threading.Thread(target=answer)
        thread.start()
        command = RunningCommand(channel, ["true"], "/", {}, b"", separate=False, output_limit=100)
        with closing(command):
            result = command.wait(Deadline(60))
        thread.join()
    assert result.output == bytes(100)
    assert result.truncated
    assert result.seconds < 30
