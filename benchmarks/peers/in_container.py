"""What sandboxes in Docker have in common as designs: each episode has a container of its own."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any, TypeVar

from benchmarks import file_tree

PACKAGES = "/opt/packages"
"""Where containers that need them see this environment's packages."""

SERVER = "/usr/local/bin/swerex-remote"

PREPARE = (
    f"printf '#!/bin/sh\\nPYTHONPATH={PACKAGES} exec python3 -m swerex.server \"$@\"\\n' > {SERVER}; chmod +x {SERVER}"
)
"""Shell text that makes SWE-ReX's server a program of an image."""

T = TypeVar("T")


class InContainer(ABC):
    """A design of `timing.Design`. The image has the tree already; a diff compares names, which one command lists."""

    name = ""

    def __init__(self, image: str) -> None:
        self.image = image
        self._loop = asyncio.new_event_loop()

    def wait(self, call: Coroutine[Any, Any, T]) -> T:
        """Return what *call* gives."""
        return self._loop.run_until_complete(call)

    @abstractmethod
    def reset(self) -> None: ...

    @abstractmethod
    def run(self, command: str) -> bytes: ...

    @abstractmethod
    def close(self) -> None: ...

    def diff(self) -> list[str]:
        """Paths that are new or gone."""
        listed = self.run(f"find {file_tree.ROOT} -type f").decode().splitlines()
        return sorted({path.strip().lstrip("/") for path in listed} ^ file_tree.files().keys())
