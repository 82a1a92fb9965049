"""Containers kept ready ahead, so that a reset does not wait for the engine; their removal waits for nobody either."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from intercode_sandbox.docker.base_image import BaseImageState
from intercode_sandbox.docker.container import Container
from intercode_sandbox.docker.engine import Engine
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.sandbox import Limits

MOST_IDLE = 16
"""Containers that wait, for all images together; those of the image not asked for longest go first."""


class ContainerPool:
    """Keeps *ahead* containers ready for each image and limits that was asked for. Safe to use from several threads."""

    def __init__(self, engine: Engine, folder: Path, ahead: int) -> None:
        self._engine, self._folder, self._ahead = engine, folder, ahead
        self._ready: dict[Hashable, deque[Container]] = {}
        self._coming: dict[Hashable, int] = {}
        self._guard = Lock()
        self._workers = ThreadPoolExecutor(2, thread_name_prefix="intercode-containers")
        self._closed = False

    def take(self, base_state: BaseImageState, limits: Limits) -> Container:
        """Return a container that nobody has used.

        Raises:
            SandboxError: If none comes up.
        """
        container = self._take_ready(base_state, limits) or self.make(base_state, limits)
        self._refill(base_state, limits)
        return container

    def make(self, base_state: BaseImageState, limits: Limits) -> Container:
        """Return a new one, not kept."""
        hostname, binds = base_state.image.hostname, base_state.binds
        return Container(self._engine, base_state.name, limits, self._folder, hostname=hostname, binds=binds)

    def _take_ready(self, base_state: BaseImageState, limits: Limits) -> Container | None:
        while True:
            with self._guard:
                waiting = self._ready.pop((base_state.name, limits), None)
                if not waiting:
                    return None
                self._ready[base_state.name, limits] = waiting  # the last that was asked for
                container = waiting.popleft()
            if _is_alive(container):
                return container
            self.drop(container)

    def _refill(self, base_state: BaseImageState, limits: Limits) -> None:
        key = (base_state.name, limits)
        with self._guard:
            missing = self._ahead - len(self._ready.get(key, ())) - self._coming.get(key, 0)
            if self._closed or missing <= 0:
                return
            self._coming[key] = self._coming.get(key, 0) + missing
        for _ in range(missing):
            self._workers.submit(self._make_ready, base_state, limits)

    def _make_ready(self, base_state: BaseImageState, limits: Limits) -> None:
        key = (base_state.name, limits)
        container = None
        try:
            if not self._closed:
                container = self.make(base_state, limits)
        except SandboxError:
            pass  # whoever asks next is told, by making one
        with self._guard:
            self._coming[key] -= 1
            if container is not None and not self._closed:
                self._ready.setdefault(key, deque()).append(container)
                container = self._one_too_many()
        if container is not None:
            self._remove(container)

    def _one_too_many(self) -> Container | None:
        if sum(map(len, self._ready.values())) <= MOST_IDLE:
            return None
        oldest = next(key for key, waiting in self._ready.items() if waiting)
        return self._ready[oldest].popleft()

    def drop(self, container: Container) -> None:
        """Remove a container, in the background."""
        self._workers.submit(self._remove, container)

    def _remove(self, container: Container) -> None:
        container.connection.close()
        self._engine.remove(container.id)

    def close(self) -> None:
        """Remove those that wait, and see the removal of all others done."""
        with self._guard:
            self._closed = True
            waiting = [container for ready in self._ready.values() for container in ready]
            self._ready.clear()
        for container in waiting:
            self.drop(container)
        self._workers.shutdown(wait=True)


def _is_alive(container: Container) -> bool:
    """Return whether its runner has neither ended nor said anything: it is only spoken to."""
    poll = select.poll()
    poll.register(container.connection, select.POLLIN)
    return not poll.poll(0)
