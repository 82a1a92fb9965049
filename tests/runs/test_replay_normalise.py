"""What a certificate forgives: clocks, process ids, sizes; and nothing else."""

from __future__ import annotations

import pytest

from intercode.runs.replay.certificate import judged
from intercode.runs.replay.compare import ComparedTurn, Pair

FORGIVEN = {
    "date": ("Sat Nov 21 03:51:05 UTC 2026", "Sun Nov 22 13:01:00 UTC 2026"),
    "an ISO time": ("at 2026-11-21T03:51:05+00:00.", "at 2027-01-02T13:00:09+00:00."),
    "epoch seconds": ("1795233065", "1795233066"),
    "ls -l": (
        "-rw-r--r-- 1 root root   12 Nov 21 03:51 a\ntotal 4",
        "-rw-r--r-- 1 root root   12 Nov  1 10:00 a\ntotal 8",
    ),
    "an old file in ls -l": ("-rw-r--r-- 1 root root 12 Jan 31  2023 a", "-rw-r--r-- 1 root root 12 Nov 21 03:51 a"),
    "du": ("48K\t/workspace/dir1\n4\t/x", "44K\t/workspace/dir1\n8\t/x"),
    "df -h": ("overlay         256M  100K  256M", "overlay   102G   28G   70G"),
    "a background job": ("[1] 4321", "[1] 17"),
    "/proc": ("/proc/4321/exe", "/proc/9/exe"),
    "ps": ("root  4 0.0 0.0 7080 3020 ? Rs 03:05 0:00 ps", "root  17 0.0 0.0 7080 3020 ? Rs 13:05 0:01 ps"),
    "an error with a pid": ("kill: process 12 not found", "kill: process 7 not found"),
    "how long tests took": ("Ran 7 tests in 0.001s\n1 passed in 0.05s", "Ran 7 tests in 0.012s\n1 passed in 12.25s"),
    "a commit": ("[main 1a2b3c4] Mend it", "[main 9a8b7c6] Mend it"),
    "lines that raced": ("one\ntwo", "two\none"),
}
NOT_FORGIVEN = {
    "another name": ("/etc/a.conf", "/etc/b.conf"),
    "another number": ("42", "43"),
    "another size in bytes": ("-rw-r--r-- 1 root root 12 Nov 21 03:51 a", "-rw-r--r-- 1 root root 13 Nov 21 03:51 a"),
    "another number of tests": ("Ran 7 tests in 0.001s", "Ran 8 tests in 0.001s"),
    "another mode": ("-rw-r--r-- 1 root root 12 Nov 21 03:51 a", "-rwxr-xr-x 1 root root 12 Nov 21 03:51 a"),
    "a line more": ("a", "a\na"),
    "a year as a number": ("the answer is 2023", "the answer is 2024"),
    "nothing": ("03:51", ""),
}


def turn(then: str, now: str, *, state: str = "s", reward: float = 1.0) -> ComparedTurn:
    return ComparedTurn(1, "x", Pair(then, now), {"exact": Pair(1.0, reward)}, Pair("s", state))


@pytest.mark.parametrize("name", FORGIVEN)
def test_it_forgives(name: str) -> None:
    assert judged(turn(*FORGIVEN[name])) == "normalised"


@pytest.mark.parametrize("name", NOT_FORGIVEN)
def test_it_does_not_forgive(name: str) -> None:
    assert judged(turn(*NOT_FORGIVEN[name])) == "differs"


def test_the_same_is_the_same() -> None:
    assert judged(turn("a\nb", "a\nb")) == "same"


def test_another_state_or_reward_is_never_forgiven() -> None:
    assert judged(turn("a", "a", state="t")) == "differs"
    assert judged(turn("a", "a", reward=0.99)) == "differs"
    assert judged(turn("a", "a", reward=0.999)) == "differs"
