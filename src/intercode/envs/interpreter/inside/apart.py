"""One piece of work in a process of its own, watched and ended in time."""

import _signal  # type: ignore[import-not-found] # `signal` takes longer to import than Python takes to start
import os

from intercode.envs.interpreter.inside.wire import answer, ended

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LOOKS = 8
"""How often a process is looked at in the time that it may spend idle."""

LONGEST = 5
"""How much more of the clock than of a processor one may take that is never idle: on a busy machine it must wait."""


def apart(key: str, seconds: float, act: "Callable[[], None]") -> None:
    """Let a child *act*, for so many seconds of a processor or of idleness, and tell what became of it."""
    said, says = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            limit_processor(seconds)
            act()
            told = "done"
        except BaseException as error:
            told = "error %s" % type(error).__name__
        os.write(says, told.encode("utf-8", "backslashreplace")[:200])
        os._exit(0)
    os.close(says)
    _signal.signal(_signal.SIGALRM, watch(process))
    _signal.setitimer(_signal.ITIMER_REAL, seconds / LOOKS, seconds / LOOKS)
    status = ended(process)
    _signal.setitimer(_signal.ITIMER_REAL, 0)
    os.set_blocking(said, False)  # what the child has started may hold the other end
    try:
        told = os.read(said, 200).decode("utf-8", "replace")
    except BlockingIOError:
        told = ""
    os.close(said)
    answer(key, told.replace("\0", " ") or "died %d" % status)


def limit_processor(seconds: float) -> None:
    """Let this process end after so many seconds of work."""
    import resource

    most = int(seconds + 0.99)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))


def watch(process: int) -> "Callable[..., None]":
    """What looks at *process* now and then, and kills it when it has been idle, or has been there, for too long."""
    seen: "dict[str, Any]" = {"looks": 0, "idle": 0, "spent": None}

    def look(*_: object) -> None:
        spent = spent_by(process)
        seen["looks"] += 1
        seen["idle"] += spent == seen["spent"]
        seen["spent"] = spent
        if seen["idle"] >= LOOKS or seen["looks"] >= LOOKS * LONGEST:
            os.kill(process, _signal.SIGKILL)

    return look


def spent_by(process: int) -> "list[bytes]":
    """The processor's time that *process* has had, as the kernel tells it."""
    try:
        with open("/proc/%d/stat" % process, "rb") as file:
            return file.read().rpartition(b")")[2].split()[11:13]
    except OSError:
        return []
