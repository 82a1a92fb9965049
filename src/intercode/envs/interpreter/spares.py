"""Interpreters kept ready: a session with a warm Python in it is taken, and another made in the background.

Starting Python takes ten times longer than starting a session. So a reset takes a session in which that is done, and in
which nothing else has happened.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque

from intercode.envs.interpreter.kept import kept_by
from intercode.envs.interpreter.process import Interpreter, compile_program
from intercode.errors import MachineError
from intercode.sandboxes.base import Limits, Sandbox
from intercode.sandboxes.images import Image

READY = 2
"""Sessions kept ready for each image and limits: an episode takes one for the agent, and one for judging it."""

Kind = tuple[str, Limits | None]
"""An image's digest, and limits."""


class Interpreters:
    """Makes interpreters in fresh sessions of one sandbox. Safe to use from several threads.

    `of` gives the one maker of a sandbox. What is kept ready ends with the sandbox.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._programs: dict[str, bytes] = {}
        self._spare: defaultdict[Kind, deque[Interpreter]] = defaultdict(deque)
        self._underway: set[Kind] = set()

    @classmethod
    def of(cls, sandbox: Sandbox) -> Interpreters:
        """The maker of *sandbox*, for as long as that lives."""
        return kept_by(sandbox, cls)

    def take(
        self, sandbox: Sandbox, image: Image, limits: Limits | None, *, started_at: float | None = None
    ) -> Interpreter:
        """A warm interpreter in a session of its own, whoever takes it closes that. Raises MachineError.

        With *started_at*, and an image that has files without a time of their own, the session is made now.
        """
        if started_at is not None and any(layer.fresh for layer in image.layers):
            return self._make(sandbox, image, limits, started_at)
        kind = (image.digest, limits)
        with self._lock:
            spare = self._spare[kind].popleft() if self._spare[kind] else None
        interpreter = spare or self._make(sandbox, image, limits)
        self._make_ready(sandbox, image, limits)
        return interpreter

    def _make(
        self, sandbox: Sandbox, image: Image, limits: Limits | None, started_at: float | None = None
    ) -> Interpreter:
        session = sandbox.start(image, limits=limits, started_at=started_at)
        try:
            interpreter = Interpreter(session, self._program(sandbox, image))
            interpreter.warm()
        except BaseException:
            session.close()
            raise
        return interpreter

    def _program(self, sandbox: Sandbox, image: Image) -> bytes:
        if image.digest not in self._programs:
            with sandbox.start(image) as session:
                self._programs[image.digest] = compile_program(session)
        return self._programs[image.digest]

    def _make_ready(self, sandbox: Sandbox, image: Image, limits: Limits | None) -> None:
        """In the background, one after the other, until enough are ready."""
        kind = (image.digest, limits)
        with self._lock:
            if kind in self._underway or len(self._spare[kind]) >= READY:
                return
            self._underway.add(kind)
        threading.Thread(target=self._fill, args=(sandbox, image, limits), daemon=True).start()

    def _fill(self, sandbox: Sandbox, image: Image, limits: Limits | None) -> None:
        kind = (image.digest, limits)
        try:
            while len(self._spare[kind]) < READY:
                self._spare[kind].append(self._make(sandbox, image, limits))
        except MachineError:  # the sandbox was closed meanwhile, or whoever asks next will see what is wrong
            return
        finally:
            with self._lock:
                self._underway.discard(kind)
