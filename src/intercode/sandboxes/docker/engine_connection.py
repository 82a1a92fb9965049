"""Reaching a container engine, and what it says of itself."""

from __future__ import annotations

import errno
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from intercode.errors import SandboxError
from intercode.sandboxes.docker.engine_errors import failures, listens, package, translate_errors, usual, why_silent

SECONDS = 120.0
"""How long the engine may take over one answer."""

NO_ENGINE = (
    "no container engine answers ({tried}): start Docker (sudo systemctl start docker) or Podman's socket "
    "(systemctl --user start podman.socket), name another in DOCKER_HOST, or use --sandbox embedded"
)
NO_PERMISSION = (
    "you may not speak to the container engine at {url}: become one of its socket's group (Docker: sudo usermod "
    "--append --groups docker $USER, then log in anew), run this as root, or use --sandbox embedded"
)


class EngineConnection:
    """What is known of a running engine, at *url* (default: DOCKER_HOST, else Docker's and Podman's usual sockets).

    Every thread has a connection of its own.

    Raises:
        SandboxError: If none answers; so does all that is asked of it.
    """

    def __init__(self, url: str = "") -> None:
        self._local = threading.local()
        self._clients: list[Any] = []
        self._guard = threading.Lock()
        self.url = self._first_that_answers([url] if url else usual())

    def _first_that_answers(self, urls: Sequence[str]) -> str:
        expected: tuple[type[Exception], ...] = (*failures(), ValueError)  # that: such as a port that is none
        for url in filter(listens, urls):
            try:
                self._connect(url).ping()
            except expected:
                continue
            return url
        if forbidden := [url for url in urls if why_silent(url) == errno.EACCES]:
            raise SandboxError(NO_PERMISSION.format(url=forbidden[0]))
        raise SandboxError(NO_ENGINE.format(tried=", ".join(urls)))

    def _connect(self, url: str) -> Any:
        client = package().APIClient(base_url=url, version="auto", timeout=SECONDS)
        with self._guard:
            self._clients.append(client)
        return client

    @property
    def api(self) -> Any:
        """This thread's client, of Docker's own package."""
        client = getattr(self._local, "client", None)
        if client is None:
            client = self._local.client = self._connect(self.url)
        return client

    def close(self) -> None:
        """Let go of all connections. Closing twice is harmless."""
        with self._guard:
            clients, self._clients = self._clients, []
        for client in clients:
            client.close()
        self._local = threading.local()

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """What the engine says of itself."""
        with translate_errors("asking the engine what it is"):
            return dict(self.api.info())

    def describe(self) -> str:
        """One line for people: version, storage driver, kernel."""
        facts = self.facts
        kind = "Podman" if self.is_podman else "Docker"
        return f"{kind} {facts.get('ServerVersion')}, {facts.get('Driver')}, kernel {facts.get('KernelVersion')}"

    @property
    def is_podman(self) -> bool:
        """Whether it is Podman that speaks Docker's words."""
        return "BuildahVersion" in self.facts

    @cached_property
    def why_no_limits(self) -> str:
        """Why containers here would have no limits on memory and processes; "" where no reason is known."""
        facts = self.facts
        if lacks := [name for name in ("MemoryLimit", "PidsLimit") if not facts.get(name)]:
            return f"it has no {' and no '.join(lacks)}"
        if facts.get("Rootless") and str(facts.get("CgroupVersion")) == "1":
            return "rootless, on version 1 of control groups"
        return ""
