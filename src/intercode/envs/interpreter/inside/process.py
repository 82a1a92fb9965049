"""The program's processes: one that waits, and one that works."""

import _signal  # type: ignore[import-not-found] # `signal` takes longer to import than Python takes to start
import os
import sys

from intercode.envs.interpreter.inside import wire
from intercode.envs.interpreter.inside.place import Place
from intercode.envs.interpreter.inside.wire import ANSWERS, ORDERS, answer, ended, flush, take


def begin(memory: int, word: str) -> None:
    """Take orders until there are none; *memory* bytes are what each process may have (0: no limit)."""
    wire.word = word.encode()
    sys.argv[:] = [""]
    add_builtins()
    keep(memory)


def add_builtins() -> None:
    """What the module `site` adds for people at a prompt; where modules are found is known already."""
    import _sitebuiltins
    import builtins

    for name in ("quit", "exit"):
        setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D"))
    builtins.help = _sitebuiltins._Helper()


def keep(memory: int) -> None:
    """The first process: always have one that works."""
    for old, new in ((0, ORDERS), (1, ANSWERS)):
        os.dup2(old, new, False)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    if memory:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.RLIM_INFINITY))
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    for generation in range(1 << 30):
        process = os.fork()
        if process == 0:
            try:
                work(generation)
            finally:
                os._exit(1)
        answer(0, "died %d" % ended(process))


def work(mine: int) -> None:
    """Do what is ordered until the end. What was meant for one that has died since is not done."""
    me, place = os.getpid(), Place()
    while True:
        number, generation, name, *arguments = take()
        try:
            told = getattr(place, name)(number, *arguments) if generation == mine else "stale"
        except BaseException as error:
            told = "interrupted" if isinstance(error, KeyboardInterrupt) else "error %s" % type(error).__name__
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        if os.getpid() != me:  # the agent has forked, and this is its child
            os._exit(0)
        try:
            if told is not None:
                flush()
                answer(number, told)
        except OSError:  # the agent has closed our descriptors
            os._exit(1)
