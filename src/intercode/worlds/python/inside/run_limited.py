"""One piece of work in a process of its own, watched and ended in time."""

import _signal  # type: ignore[import-not-found] # `signal` takes longer to import than Python takes to start
import os

from intercode.worlds.python.inside.protocol import answer, ended, wait

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LOOKS = 8
"""How often a process is looked at in the time that it may spend idle: neither at work nor waiting for a processor."""

LONGEST = 100
"""How much more of the clock than of a processor one may take: on a busy machine it waits most of the time.

Who keeps itself waiting, by children of its own, is ended before that by the host, which counts what all of them take.
"""


def run_limited(key: str, seconds: float, act: "Callable[[], str | None]") -> None:
    """Let a child *act*, for so many seconds of a processor or of idleness, and tell what became of it.

    That is "done" where *act* says nothing else.
    """
    said, says = os.pipe()
    process = os.fork()
    if process == 0:
        working = os.getpid()
        try:
            limit_processor(seconds)
            outcome = act() or "done"
        except BaseException as error:
            outcome = "error %s" % type(error).__name__
        if os.getpid() == working:  # else the agent has forked, and this is its child
            os.write(says, outcome.encode("utf-8", "backslashreplace")[:200])
        os._exit(0)
    os.close(says)
    _signal.signal(_signal.SIGALRM, watch(process, seconds))
    _signal.setitimer(_signal.ITIMER_REAL, seconds / LOOKS, seconds / LOOKS)
    wait(process)
    _signal.setitimer(_signal.ITIMER_REAL, 0)
    status = ended(process)
    os.set_blocking(said, False)  # what the child has started may hold the other end
    try:
        outcome = os.read(said, 200).decode("utf-8", "replace")
    except BlockingIOError:
        outcome = ""
    os.close(said)
    answer(key, outcome.replace("\0", " ") or "died %d" % status)


def limit_processor(seconds: float) -> None:
    """Let this process end after so many seconds of work."""
    import resource

    most = int(seconds + 0.99)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))


def watch(process: int, seconds: float) -> "Callable[..., None]":
    """What looks at *process* now and then, and kills it when it has been idle, or has been there, for too long."""
    looks = 0

    def look(*_: object) -> None:
        nonlocal looks
        looks += 1
        there = looks * seconds / LOOKS
        if there - cpu_seconds(process) - waiting_seconds(process) >= seconds or there >= seconds * LONGEST:
            kill(process)

    return look


def kill(process: int) -> None:
    """End *process*, if it is still there: it is gone at once where the agent has asked not to be told of children."""
    try:
        os.kill(process, _signal.SIGKILL)
    except ProcessLookupError:
        pass


def cpu_seconds(process: int) -> float:
    """Seconds of a processor that *process* has had."""
    times = read("/proc/%d/stat" % process).rpartition(b")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def waiting_seconds(process: int) -> float:
    """Seconds that *process* was ready to go on, and had no processor. Endless where the kernel does not tell."""
    try:
        threads = os.listdir("/proc/%d/task" % process)
    except OSError:
        return 0.0
    schedules = [read("/proc/%d/task/%s/schedstat" % (process, thread)).split() for thread in threads]
    return sum([int(times[1]) / 1e9 for times in schedules if len(times) > 1]) if any(schedules) else float("inf")


def read(path: str) -> bytes:
    """Return a file of the kernel's; b"" where there is none, or none any more."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
