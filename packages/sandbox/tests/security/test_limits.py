"""Attacks on what all share: processes, memory, disk, the host's own patience and memory."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from intercode_sandbox.embedded import scratch
from intercode_sandbox.embedded.control_groups.groups import HEADROOM
from intercode_sandbox.sandbox import Session
from intercode_sandbox.testing.patience import patience

from .conftest import Compile, Start
from .host import (
    becomes_true,
    exists,
    first_process,
    forget_peak,
    group_of,
    held_memory,
    marked,
    marked_child,
    new_marker,
    own_peak_memory,
    put,
    shell,
    socket_memory,
)

MEBIBYTE = 1 << 20
SLACK = 512 * MEBIBYTE
"""Where processes are only looked at, now and then, they get further before they are stopped."""


@contextmanager
def sampled(measure: Callable[[], int]) -> Iterator[list[int]]:
    """What is measured, again and again, on the host while the block lasts."""
    found = [measure()]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            found.append(measure())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        done.set()
        thread.join()


# Processes


@pytest.mark.flaky_when_busy("it measures how fast a sibling is")
@pytest.mark.parametrize("users", [[], ["many"]], ids=["one-user", "many-users"])
def test_a_fork_bomb_stays_small_and_leaves_siblings_fast(start: Start, attack: Compile, users: list[str]) -> None:
    """The kernel's limit is for each user apart: a bomb that changes users must not get another for each."""
    bomber, sibling, marker = start(seconds=1.5, processes=64), start(), new_marker()
    bomb = [put(bomber, attack("bomb"), f"/tmp/{marker}"), *users]
    with sampled(lambda: len(marked(marker))) as counts:
        thread = threading.Thread(target=bomber.run, args=(bomb,))
        thread.start()
        assert becomes_true(lambda: max(counts) >= 30)
        seconds = sorted(sibling.run(["/bin/echo", "hi"]).seconds for _ in range(15))
        thread.join()
    assert max(counts) <= 64
    assert seconds[7] < patience(1.5)
    assert marked(marker) == []
    assert shell(bomber, "echo alive; (true | cat)", timeout=patience(10)).output == b"alive\n"


def test_a_bomb_left_in_the_background_ends_with_the_session(start: Start, attack: Compile) -> None:
    session, marker = start(processes=64), new_marker()
    bomb = put(session, attack("bomb"), f"/tmp/{marker}")
    shell(session, f"setsid {bomb} >/dev/null 2>&1 </dev/null &")
    assert becomes_true(lambda: len(marked(marker)) >= 30)
    began = time.monotonic()
    session.close()
    assert time.monotonic() - began < patience(15)
    assert marked(marker) == []


def test_more_programs_than_there_are_places_for_are_refused(start: Start) -> None:
    """Process 1 keeps places for so many that stay: the rest is told, not forgotten."""
    session = start(processes=200)
    processes = [session.open(["/bin/sleep", "100"]) for _ in range(70)]
    try:
        assert becomes_true(lambda: processes[-1].exit_code == 126)
        assert [process.exit_code for process in processes[:60]] == [None] * 60
    finally:
        for process in processes:
            process.close()
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


# Memory

BOMBS = {
    "one process": "tail /dev/zero",
    "many processes": "for i in {1..12}; do (head -c 20M /dev/zero | tail >/dev/null) & done; wait",
    "files in memory": "for d in /dev/shm /tmp; do head -c 400M /dev/zero > $d/big; done; tail /dev/zero",
}


@pytest.mark.parametrize("how", BOMBS)
def test_a_memory_bomb_hurts_nobody_else(start: Start, how: str) -> None:
    bomber, sibling = start(memory=64 * MEBIBYTE, disk=32 * MEBIBYTE, seconds=patience(60)), start()
    other, first = marked_child(sibling), first_process(bomber)
    group = group_of(first)
    if group is not None:
        forget_peak(group)
    with sampled(lambda: held_memory(first, group)) as held:
        result = shell(bomber, BOMBS[how])
    assert not result.timed_out
    assert result.exit_code != 0 or how == "many processes"
    assert max(held) <= (64 + 32) * MEBIBYTE + HEADROOM + MEBIBYTE + (0 if group else SLACK)
    assert exists(other)
    assert sibling.run(["/bin/echo", "hi"]).output == b"hi\n"
    assert bomber.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


HOARDS = (
    *("file", "segments", "shared", "zero", "messages", "semaphores", "pipes"),
    *("streams", "datagrams", "sockets"),
)
"""Ways to have the kernel hold memory that no process shows: see attacks/hoard.c."""


@pytest.mark.parametrize("how", HOARDS)
def test_memory_that_no_process_shows_is_counted_too(start: Start, attack: Compile, how: str) -> None:
    """What the kernel holds for a session. Whoever fills up the group ends commands, not the session."""
    session = start(memory=64 * MEBIBYTE, disk=16 * MEBIBYTE, seconds=patience(20))
    first = first_process(session)
    group = group_of(first)
    if group is None:
        pytest.skip("no control group is to be had here: the same is tried without one, below")
    forget_peak(group)
    limit = (64 + 16) * MEBIBYTE + HEADROOM
    with sampled(lambda: held_memory(first, group)) as held, sampled(socket_memory) as sockets:
        session.run([put(session, attack("hoard")), how])
    assert max(held) <= 2 * limit  # version 1 counts what lies in sockets apart
    assert max(sockets) - sockets[0] <= 2 * limit
    assert session.run(["/bin/echo", "alive"]).exit_code in (
        0,
        126,
        137,
    )  # some of it stays, and takes all room there is
    assert len(session.changes()) > 0, "process 1 is not in the group that is full"


@pytest.mark.parametrize("how", HOARDS)
def test_memory_that_no_process_shows_is_bounded_without_a_group(
    start_uncounted: Start, attack: Compile, how: str
) -> None:
    """Refused, or counted: whoever puts away more than the limit is killed."""
    limit = 32 * MEBIBYTE
    session = start_uncounted(memory=limit, disk=16 * MEBIBYTE, seconds=patience(20))
    result = session.run([put(session, attack("hoard")), how])
    hoarded = {words[0]: int(words[1]) for words in map(str.split, result.text.splitlines()) if len(words) == 2}
    assert sum(hoarded.values()) <= limit + SLACK
    assert result.exit_code == 137 or sum(hoarded.values()) <= limit, result.text[-200:]
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


def test_the_dead_hold_nothing(start_uncounted: Start, attack: Compile) -> None:
    """Many that end faster than they are collected are not taken for processes that hide what they hold."""
    session = start_uncounted(seconds=1.0)
    assert session.run([put(session, attack("chain")), "unused"]).timed_out


def test_ordinary_use_of_pipes_and_sockets_is_no_hoard(start_uncounted: Start) -> None:
    """Without a group they are counted as if they were full: there is room for what a program may open."""
    session = start_uncounted(memory=256 * MEBIBYTE)
    script = "import os, socket, time; a = [os.pipe() for _ in range(80)]; b = [socket.socketpair() for _ in range(40)]"
    result = session.run(["/usr/bin/python3", "-c", f"{script}; time.sleep(0.3); print('fine')"])
    assert result.text == "fine\n"


# Disk

only_in_memory = pytest.mark.skipif(
    not scratch.tmpfs_suffices(),
    reason="what sessions write is on disk here, and watched (see test_disk.py)",
)


@only_in_memory
def test_the_disk_fills_up_to_its_limit(start: Start) -> None:
    """All places that can be written count together, as the host sees by the file system that holds them."""
    session = start(disk=16 * MEBIBYTE)
    result = shell(session, "for d in /tmp /dev/shm /var /home /; do head -c 50M /dev/zero > $d/full$RANDOM; done")
    assert "No space left" in result.text
    room = os.statvfs(session.upper)
    assert room.f_blocks * room.f_frsize == 16 * MEBIBYTE
    assert room.f_bfree == 0
    with pytest.raises(OSError, match="No space left"):
        session.write("/tmp/more", b"x" * MEBIBYTE)
    assert len(session.changes()) >= 3
    assert shell(session, "rm /tmp/full*; echo hi > /tmp/hi; cat /tmp/hi").output == b"hi\n"


@only_in_memory
def test_inodes_fill_up_to_their_limit(start: Start) -> None:
    session = start(inodes=2000)
    result = shell(
        session, "mkdir /tmp/n; cd /tmp/n; for i in {1..4000}; do : > $i || break; done; ln 1 more; mkdir more"
    )
    assert "No space left" in result.text
    room = os.statvfs(session.upper)
    assert (room.f_files, room.f_ffree) == (2000, 0)
    assert 1500 < len(session.changes()) < 2000
    assert shell(session, "rm -r /tmp/n; echo hi > /tmp/hi; cat /tmp/hi").output == b"hi\n"


# Output and input


def test_a_gigabyte_of_output_is_counted_and_not_kept(session: Session) -> None:
    before = own_peak_memory()
    result = shell(session, "head -c 1G /dev/zero", timeout=patience(60))
    assert (result.exit_code, result.output_bytes, len(result.output), result.truncated) == (0, 1 << 30, 1 << 20, True)
    assert own_peak_memory() - before < 64 * MEBIBYTE


def test_output_for_ever_ends_at_the_time_limit(start: Start) -> None:
    session, marker = start(seconds=patience(0.5)), new_marker()
    result = shell(session, f"exec -a {marker} yes")
    assert (result.timed_out, result.truncated) == (True, True)
    assert result.seconds < patience(15)
    assert marked(marker) == []


def test_output_in_single_bytes_costs_no_more_memory(start: Start, attack: Compile) -> None:
    session = start(seconds=patience(30))
    before = own_peak_memory()
    assert session.run([put(session, attack("drip"))]).output == b"x" * 300000
    assert own_peak_memory() - before < 64 * MEBIBYTE


def test_output_may_be_any_bytes_without_a_newline(session: Session) -> None:
    everything = "".join(f"\\{number:03o}" for number in range(256))
    result = shell(session, f"for i in {{1..400}}; do printf '{everything}'; done")
    assert result.output == bytes(range(256)) * 400
    assert "\ufffd" in result.text


@pytest.mark.parametrize(
    "script",
    [
        *("while :; do :; done", "sleep 1000", "cat /dev/zero >/dev/null", "wait", "tail -f /etc/passwd"),
        *("trap '' TERM INT HUP QUIT; while :; do sleep 1; done", "mkfifo /tmp/p; cat /tmp/p"),
        *("exec 3<>/dev/ptmx; cat <&3", "exec >&- 2>&- <&-; sleep 1000"),
    ],
)
def test_what_never_ends_is_killed(start: Start, script: str) -> None:
    session, marker = start(seconds=0.3), new_marker()
    result = shell(session, f"(exec -a {marker} sleep 1000) & {script}; wait")
    assert (result.timed_out, result.exit_code) == (True, 137)
    assert result.seconds < patience(15)
    assert marked(marker) == []
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


@pytest.mark.parametrize("script", ["cat", "read line; echo $?", "read line </dev/tty", "stty -a", "head -c 1"])
def test_what_reads_a_terminal_finds_none(session: Session, script: str) -> None:
    assert not shell(session, script, timeout=patience(30)).timed_out


def test_input_that_nobody_reads_holds_up_nothing(session: Session) -> None:
    """A megabyte for a program that never looks at it, and for one that reads all."""
    assert session.run(["/bin/sleep", "0.2"], stdin=b"x" * MEBIBYTE).exit_code == 0
    assert session.run(["/bin/sleep", "100"], stdin=b"x" * MEBIBYTE, timeout=0.3).timed_out
    assert session.run(["/bin/cat"], stdin=b"x" * 300000).output == b"x" * 300000


@pytest.mark.flaky_when_busy("it measures seconds")
def test_a_background_job_that_keeps_the_output_open_holds_up_nothing(session: Session) -> None:
    marker = new_marker()
    result = shell(session, f"(exec -a {marker} yes) & echo done")
    assert result.exit_code == 0
    assert result.seconds < patience(2)
    assert becomes_true(lambda: marked(marker) == []), "nobody reads what it prints any more"
