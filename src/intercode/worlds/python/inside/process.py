"""The process that works."""

import _signal  # type: ignore[import-not-found] # `signal` takes longer to import than Python takes to start
import os
import sys

from intercode.worlds.python.inside import forks, protocol
from intercode.worlds.python.inside.kernel import Kernel
from intercode.worlds.python.inside.protocol import ANSWERS, ORDERS, answer, flush, take


def begin() -> None:
    """Take orders until there are none; before them, what memory each process may have (0: no limit), and the word.

    The word is no argument of the program: whoever prints `/proc/self/cmdline` has not forged an answer.
    """
    sys.argv[:] = [""]
    add_builtins()
    move_descriptors()
    memory, protocol.word = take()
    if memory:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.RLIM_INFINITY))
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    forks.begin()
    work()


def add_builtins() -> None:
    """Add `quit`, `exit` and `help`, which Python adds for people at a prompt."""
    import site

    site.setquit()
    site.sethelper()


def move_descriptors() -> None:
    """Orders and answers get out of the way of the agent's code."""
    for old, new in ((0, ORDERS), (1, ANSWERS)):
        os.dup2(old, new, False)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def work() -> None:
    """Do what is ordered until the end."""
    place = Kernel()
    while True:
        key, name, *arguments = take()
        try:
            result = getattr(place, name)(key, *arguments)
            if type(result) is tuple:  # out of a copy
                key, result = result[0] or key, result[1]
        except BaseException as error:
            result = "interrupted" if isinstance(error, KeyboardInterrupt) else "error %s" % type(error).__name__
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        if os.getpid() != forks.me:  # the agent has forked, and this is its child
            os._exit(0)
        try:
            if result is not None:
                flush()
                answer(key, result)
        except OSError:  # the agent has closed our descriptors
            os._exit(1)
