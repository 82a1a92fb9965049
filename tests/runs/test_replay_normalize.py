"""What a certificate forgives: clocks, process ids, sizes; and nothing else."""

from __future__ import annotations

import pytest

from intercode.audit.replay.certificate import judge_step
from intercode.audit.replay.comparison import ComparedTurn, Pair

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
    "df -h": ("overlay  256M  100K  256M   1% /", "overlay   102G   28G   70G  29% /"),
    "du of a folder": ("4\t.\n8\ttotal", "8\t.\n12\ttotal"),
    "df": ("/dev/vda 264212084 49253536 57137376  47% /usr", "/dev/vda  26421 49 57 5% /usr"),
    "free": ("Mem:  24684096  1547888 14832524 11632 8716596 23136208", "Mem: 24684096 1 2 3 4 5"),
    "free -h": (
        "Mem:   23Gi  1.5Gi  14Gi  11Mi  8.3Gi  22Gi\nSwap: 0B 0B 0B",
        "Mem: 23Gi 2Gi 1Gi 1Mi 8Gi 2Gi\nSwap: 0B 0B 0B",
    ),
    "memory in /proc": ("MemFree:  14832524 kB", "MemFree: 123 kB"),
    "ls -lh": ("-rw-r--r-- 1 root root 4.0K Nov 21 03:51 a", "-rw-r--r-- 1 root root 60K Nov 21 03:51 a"),
    "uptime": (
        " 12:31:05 up 13:07,  0 user,  load average: 7.62, 9.92, 10.93",
        " 13:31:05 up 14:07, 0 user, load average: 0.00, 0.01, 0.93",
    ),
    "the load in /proc": ("7.62 9.92 10.93 2/781 28", "0.00 0.01 0.05 1/78 9"),
    "time": ("real\t0m0.102s\nuser\t0m0.002s\nsys\t0m0.000s", "real\t1m0.002s\nuser\t0m0.012s\nsys\t0m0.001s"),
    "a stamp in a name": ("backup-20261121131014.tgz", "backup-20261122131126.tgz"),
    "stat": ("Device: 0,48\tInode: 14 Links: 1", "Device: 0,322\tInode: 14 Links: 1"),
    "git log": (f"commit {'1a' * 20}", f"commit {'2b' * 20}"),
    "git log --oneline": ("1a2b3c4 (HEAD -> main) Mend it", "9a8b7c6 (HEAD -> main) Mend it"),
    "dd": ("1024 bytes (1.0 kB) copied, 0.000271 s, 3.8 MB/s", "1024 bytes (1.0 kB) copied, 1.5e-05 s, 68.3 MB/s"),
    "ps -ef": ("root   4    1  0 03:05 ?   00:00:00 ps -ef", "root 17 9 1 13:05 ? 00:00:01 ps -ef"),
    "ps alone": ("   4 ?   00:00:00 ps", " 17 ?  00:00:01 ps"),
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
    "another number in a table": ("12\tapples", "13\tapples"),
    "another number with a unit": ("5M people", "6M people"),
    "a number before a question": ("42 is it right? yes", "43 is it right? yes"),
    "another process in ps": ("root 4 1 0 03:05 ? 00:00:00 ps -ef", "root 4 1 0 03:05 ? 00:00:00 rm -rf /"),
    "another number of free places": ("Mem: 3", "Mem: 4"),
    "a number of seven digits": ("1234567 apples", "1234568 apples"),
    "another checksum": (f"{'1a' * 16}  a", f"{'2b' * 16}  a"),
    "a year as a number": ("the answer is 2023", "the answer is 2024"),
    "nothing": ("03:51", ""),
}


def turn(then: str, now: str, *, state: str = "s", reward: float = 1.0) -> ComparedTurn:
    return ComparedTurn(1, "x", Pair(then, now), {"exact": Pair(1.0, reward)}, Pair("s", state))


@pytest.mark.parametrize("name", FORGIVEN)
def test_it_forgives(name: str) -> None:
    assert judge_step(turn(*FORGIVEN[name])) == "normalised"


@pytest.mark.parametrize("name", NOT_FORGIVEN)
def test_it_does_not_forgive(name: str) -> None:
    assert judge_step(turn(*NOT_FORGIVEN[name])) == "differs"


def test_the_same_is_the_same() -> None:
    assert judge_step(turn("a\nb", "a\nb")) == "same"


def test_another_state_or_reward_is_never_forgiven() -> None:
    assert judge_step(turn("a", "a", state="t")) == "differs"
    assert judge_step(turn("a", "a", reward=0.99)) == "differs"
    assert judge_step(turn("a", "a", reward=0.999)) == "differs"
