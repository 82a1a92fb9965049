"""What must be ended: `close` does it, and so does the end of a `with` block."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, NoReturn, Self

from intercode_sandbox.errors import UserError

NOT_COPIED = "{} cannot be copied or pickled, since it holds processes and files: make one in each process"
FORKED = (
    "{} was made in process {}, and this is its fork {}: neither could use it without disturbing the other. "
    "Make another one here"
)


class HomeProcess:
    """Which process something belongs to that does not live through `os.fork`."""

    def __init__(self) -> None:
        self._id = os.getpid()

    @property
    def is_here(self) -> bool:
        """Return whether this is the process, and not a fork of it."""
        return self._id == os.getpid()

    def check(self, owner: object) -> None:
        """Refuse to go on in a fork.

        Raises:
            UserError: If this is not the process that *owner* belongs to.
        """
        if self._id != os.getpid():
            raise UserError(FORKED.format(type(owner).__name__, self._id, os.getpid()))


class Closeable(ABC):
    """Something that holds what does not go away by itself: processes, files, connections."""

    @abstractmethod
    def close(self) -> None:
        """End it. Closing twice is harmless."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(NOT_COPIED.format(type(self).__name__))
