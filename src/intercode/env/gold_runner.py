"""Where golds are played: each in a fresh session, in which no agent ever was; and what they did is remembered."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self, TypeVar
from weakref import WeakKeyDictionary

from intercode.errors import DatabaseError, DatabaseLostError, SandboxError, SessionLostError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox, Session

S = TypeVar("S")
V = TypeVar("V")


class SandboxedEpisode(Protocol):
    """What an environment knows of the session that its episode began in."""

    sandbox: Sandbox
    image: Image
    limits: Limits | None
    session: Session | None

    @property
    def started_at(self) -> float: ...


@contextmanager
def fresh(start: Callable[[], AbstractContextManager[S]]) -> Iterator[S]:
    """Provide what *start* gives, a session or a database, for a gold to be played in.

    Where it breaks, no agent is to blame: SandboxError or DatabaseError is raised, which ends the episode unscored.
    """
    try:
        with start() as session:
            yield session
    except SessionLostError as error:
        raise SandboxError(f"a session that only a gold used has broken: {error}") from error
    except DatabaseLostError as error:
        raise DatabaseError(f"a session that only a gold used has broken: {error}") from error


def gold_session(env: SandboxedEpisode) -> AbstractContextManager[Session]:
    """Return a fresh session like the one that the episode of *env* began in, for its gold.

    Its time is none that others can slow (`Limits.judging`), and it has the network that the agent has. Raises as
    `fresh` does.
    """
    known = env.limits or Limits() if env.session is None else env.session.limits
    limits = replace(known, judging=True)
    return fresh(lambda: env.sandbox.start(env.image, started_at=env.started_at, limits=limits))


class GoldRunner:
    """Plays golds on one sandbox or database, and remembers what they did. Safe to use from several threads.

    `of` gives the one runner of a sandbox or database: environments that share it share what is known.
    """

    _runners: ClassVar[WeakKeyDictionary[object, dict[type, Any]]] = WeakKeyDictionary()
    _guard: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self) -> None:
        self._played: dict[Hashable, Any] = {}
        self._locks: defaultdict[Hashable, threading.Lock] = defaultdict(threading.Lock)

    @classmethod
    def of(cls, backend: object) -> Self:
        """Return the runner of *backend*, for as long as that lives."""
        with cls._guard:
            runners = cls._runners.setdefault(backend, {})
            if cls not in runners:
                runners[cls] = cls()
            found: Self = runners[cls]
            return found

    def once(self, key: Hashable, play: Callable[[], V], *, is_fact: Callable[[V], bool] = lambda _: True) -> V:
        """Return what *play* gave the first time that *key* was asked for. One thread plays it, others wait.

        What is no fact (*is_fact*), such as that time ran out, is not remembered: it is played again the next time.
        """
        if key not in self._played:
            with self.lock(key):
                if key not in self._played:
                    found = play()
                    if not is_fact(found):
                        return found
                    self._played[key] = found
        known: V = self._played[key]
        return known

    def lock(self, key: Hashable) -> threading.Lock:
        """Held by whoever plays *key*."""
        with self._guard:
            return self._locks[key]
