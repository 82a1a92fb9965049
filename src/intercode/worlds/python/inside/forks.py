"""Copies of the process that works, which wait: what can be gone back to.

A copy is a fork of a fork, so that nobody's child has appeared. Woken by a signal it forks again, and the new process
takes the orders from now on. The first process, which the host watches, then waits for its end, to end likewise; any
other ends itself, by the same signal. Copies wait on, and can be woken again.
"""

import _signal  # type: ignore[import-not-found] # `signal` takes longer to import than Python takes to start
import os
import sys

from intercode.worlds.python.inside.protocol import ANSWERS, ORDERS, ended

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WAKE = 40
"""A signal of no other meaning: wakes a copy, and ends the one in whose place it goes to work."""

HEARD, SAID = 200, 201
"""A pipe among all of them: an order's key, for whoever is woken to answer it; a status, for the first to end with."""

first = me = 0
"""The first process, and the one that works."""


def begin() -> None:
    """This is the first process."""
    global first, me
    first = me = os.getpid()
    for old, new in zip(os.pipe(), (HEARD, SAID)):
        os.dup2(old, new, False)
        os.close(old)


def keep(known: "list[int]", dropped: "list[int]", room: int) -> "tuple[str, str]":
    """Leave a copy behind. *dropped* are copies to end; with them *known* are those of ours that are there.

    The answer is "kept", the copy's process and our own, or why there is none; and whose it is: "" for our own order's,
    else the key of the order that has woken the copy, out of which this comes later.
    """
    for process in dropped:
        end(process)
    why = unfit({*known, *dropped}, room)
    if why:
        return "", "unfit: %s" % why
    found = fork()
    if found:
        return "", "kept %d %d" % (found, me) if found > 0 else "unfit: too many processes"
    return os.read(HEARD, 100).decode(), "back %d" % me


def back(key: str, process: int) -> None:
    """Let copy *process* work, and answer the order with this *key*. Returns only where it is gone."""
    os.write(SAID, key.encode())
    try:
        os.kill(process, WAKE)
    except OSError:
        os.read(HEARD, 100)
        raise
    if me == first:
        _signal.pthread_sigmask(_signal.SIG_BLOCK, [WAKE])
        _signal.sigwait([WAKE])
        end_with(int(os.read(HEARD, 9)))
    end_with(128 + WAKE)


def end_with(status: int) -> None:
    """End as one that a shell says to have this status."""
    if status > 128:
        try:
            _signal.signal(status - 128, _signal.SIG_DFL)
        except OSError:  # it cannot be otherwise
            pass
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [status - 128])
        os.kill(os.getpid(), status - 128)
    os._exit(status)


def end(process: int) -> None:
    """End a copy, unless that has happened."""
    try:
        os.kill(process, _signal.SIGKILL)
    except OSError:
        pass


def fork() -> int:
    """Return the process of a new copy, or -1; 0 in what comes out of it."""
    global me
    numbers = random_numbers()
    said, says = os.pipe()
    _signal.pthread_sigmask(_signal.SIG_BLOCK, [WAKE])  # a copy may be woken before it waits
    try:
        process = os.fork()
        if process == 0:
            come_back_later(said, says)
            me = os.getpid()
            put_back(numbers)
    except OSError:  # too many processes
        process = -1
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [WAKE])
    if process == 0:
        return 0
    os.close(says)
    if process > 0:
        ended(process)
    found = int(os.read(said, 20) or b"-1")
    os.close(said)
    return found


def come_back_later(said: int, says: int) -> None:
    """In a fork: tell the process of another, and end. In that one, wait."""
    try:
        copy = os.fork()
        if copy:
            os.write(says, b"%d" % copy)
            os._exit(0)
        os.close(said)
        os.close(says)
        wait()
    except BaseException:
        os._exit(1)


def wait() -> None:
    """In a copy: be woken as often as it may be. Returns in each new process that is to work."""
    while True:
        _signal.sigwait([WAKE])
        process = os.fork()
        if process == 0:
            return
        status = ended(process)
        if status != 128 + WAKE:
            os.write(SAID, b"%d" % status)
            os.kill(first, WAKE)


def unfit(known: "set[int]", room: int) -> str:
    """Why a fork of this process would be another than it is, or would take more than *room* bytes; "" if not."""
    if len(os.listdir("/proc/self/task")) > 1:
        return "threads"
    if others(known) or has_children():
        return "processes"
    if any(is_open(name) for name in os.listdir("/proc/self/fd")):
        return "files"
    if any(_signal.getitimer(which) != (0.0, 0.0) for which in range(3)):
        return "timers"
    if _signal.getsignal(_signal.SIGCHLD) != _signal.SIG_DFL:
        return "signals"
    with open("/proc/self/maps", "rb") as maps:
        if b"w-s " in maps.read() or os.listdir("/dev/shm"):
            return "memory that is shared"
    with open("/proc/self/statm", "rb") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    return "its size" if resident > room else ""


def others(known: "set[int]") -> bool:
    """Return whether there are processes that are not ours."""
    ours = {1, first, os.getpid(), *known}
    return any(int(name) not in ours for name in os.listdir("/proc") if name.isdigit())


def has_children() -> bool:
    """Return whether there are any, be they dead."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def is_open(descriptor: str) -> bool:
    """Return whether it is a file (or anything else) of the agent's, whose position all copies would share."""
    if descriptor in map(str, (ORDERS, ANSWERS, HEARD, SAID)):
        return False
    try:
        what = os.readlink("/proc/self/fd/%s" % descriptor)
    except OSError:  # it was the listing's own
        return False
    return not (descriptor in "012" and (what == os.devnull or what.startswith("pipe:")))


def random_numbers() -> "Any":
    """Return the state of the module `random`, which draws anew in every fork."""
    try:
        return sys.modules["random"].getstate()
    except BaseException:  # it is not there, or is the agent's own
        return None


def put_back(numbers: "Any") -> None:
    """Give the module `random` a state that it had."""
    if numbers is not None:
        sys.modules["random"].setstate(numbers)
