"""The engine's networks, for sessions that ask for one: out to where this machine reaches, and not to each other.

Docker keeps the containers of one network apart if told so (`enable_icc`), and has only some thirty networks to give:
so all sessions of a sandbox share one. Podman keeps networks apart, and not what is in them: each session has its own.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from secrets import token_hex
from threading import Lock

from intercode.errors import SandboxError
from intercode.sandboxes.core.process_identity import this_process
from intercode.sandboxes.docker.engine import Engine
from intercode.sandboxes.images.engine_store import LABEL

APART = {"com.docker.network.bridge.enable_icc": "false"}
"""Docker's option that forbids what its engine calls communication between containers."""

PAUSES = (0.0, 0.2, 1.0, 5.0)
"""Seconds before each attempt to remove a network: its last container may still be going."""


class Networks:
    """Made when they are first wanted. Safe to use from several threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._shared = ""
        self._guard = Lock()

    def join(self) -> str:
        """The name of a network for one more container.

        Raises:
            SandboxError: If the engine makes none.
        """
        if self._engine.is_podman:
            return self._make()
        with self._guard:
            self._shared = self._shared or self._make()
            return self._shared

    def leave(self, name: str) -> None:
        """The container that was in *name* is gone: remove what was its own. "" is none."""
        if name and name != self._shared:
            self._remove(name)

    def close(self) -> None:
        """All containers are gone: remove what they shared."""
        if self._shared:
            self._remove(self._shared)

    def _make(self) -> str:
        name = f"intercode-{os.getpid()}-{token_hex(4)}"
        self._engine.create_network(name, {} if self._engine.is_podman else APART, {LABEL: this_process()})
        return name

    def _remove(self, name: str) -> None:
        """What is in use for longer, or at an engine that has died, is left to `intercode doctor --clean`."""
        with suppress(SandboxError):
            for pause in PAUSES:
                time.sleep(pause)
                if self._engine.remove_network(name):
                    return
