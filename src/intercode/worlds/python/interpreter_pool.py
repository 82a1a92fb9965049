"""Interpreters kept ready: a session with a warm Python in it is taken, and another made in the background.

Starting Python takes ten times longer than starting a session. So a reset takes a session in which that is done, and in
which nothing else has happened. Where actions are to be run again, it is one that has imported what they import first:
that takes as long again.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from intercode.errors import MachineError
from intercode.worlds.python.interpreter import Interpreter, compile_program
from intercode.worlds.python.sandbox_cache import sandbox_cache
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox

READY = 2
"""Sessions kept ready of each kind: an episode takes one for the agent, and one for judging it."""

KINDS = 4
"""Kinds that have imported modules and are kept ready: those asked for last. Each session holds 4 to 7 MB."""


@dataclass(frozen=True, slots=True)
class InterpreterKind:
    """What one interpreter that is ready has in common with another."""

    digest: str
    limits: Limits | None
    modules: tuple[str, ...] = ()


class InterpreterPool:
    """Makes interpreters in fresh sessions of one sandbox. Safe to use from several threads.

    `of` gives the one maker of a sandbox. What is kept ready ends with the sandbox.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._programs: dict[str, bytes] = {}
        self._spare: dict[InterpreterKind, deque[Interpreter]] = {}
        self._underway: set[InterpreterKind] = set()

    @classmethod
    def of(cls, sandbox: Sandbox) -> InterpreterPool:
        """Return the maker of *sandbox*, for as long as that lives."""
        return sandbox_cache(sandbox, cls)

    @property
    def ready(self) -> dict[InterpreterKind, int]:
        """Return how many interpreters of each kind wait to be taken."""
        with self._lock:
            return {kind: len(waiting) for kind, waiting in self._spare.items() if waiting}

    def take(
        self, sandbox: Sandbox, image: Image, limits: Limits | None, *, started_at: float | None = None,
        modules: tuple[str, ...] = (),
    ) -> Interpreter:  # fmt: skip
        """Return a warm interpreter in a session of its own, whoever takes it closes that.

        It has imported *modules* if such a one is ready, and nothing if not; the next time one will be. With
        *started_at*, and an image that has files without a time of their own, the session is made now.

        Raises:
            MachineError: If no session or interpreter starts.
        """
        if started_at is not None and any(layer.fresh for layer in image.layers):
            return self._make(sandbox, image, InterpreterKind(image.digest, limits), started_at)
        bare, kind = InterpreterKind(image.digest, limits), InterpreterKind(image.digest, limits, modules)
        interpreter = self._pop(kind) or self._pop(bare) or self._make(sandbox, image, bare)
        self._make_ready(sandbox, image, kind)
        if interpreter.modules != modules:
            self._make_ready(sandbox, image, bare)
        return interpreter

    def _pop(self, kind: InterpreterKind) -> Interpreter | None:
        """Return one that is ready, if there is one; its kind is then the last that was asked for."""
        while True:
            with self._lock:
                waiting = self._spare[kind] = self._spare.pop(kind, deque())
                interpreter = waiting.popleft() if waiting else None
            if interpreter is None or interpreter.is_alive:
                return interpreter
            interpreter.session.close()  # short of memory, the kernel ends what waits

    def _make(
        self, sandbox: Sandbox, image: Image, kind: InterpreterKind, started_at: float | None = None
    ) -> Interpreter:
        session = sandbox.start(image, limits=kind.limits, started_at=started_at)
        try:
            interpreter = Interpreter(session, self._program(sandbox, image))
            interpreter.warm(kind.modules)
        except BaseException:
            session.close()
            raise
        return interpreter

    def _program(self, sandbox: Sandbox, image: Image) -> bytes:
        if image.digest not in self._programs:
            with sandbox.start(image) as session:
                self._programs[image.digest] = compile_program(session)
        return self._programs[image.digest]

    def _make_ready(self, sandbox: Sandbox, image: Image, kind: InterpreterKind) -> None:
        """In the background, one after the other, until enough are ready."""
        with self._lock:
            if kind in self._underway:
                return
            self._underway.add(kind)
            if self._has_enough(kind):
                return
        threading.Thread(target=self._fill, args=(sandbox, image, kind), daemon=True).start()

    def _fill(self, sandbox: Sandbox, image: Image, kind: InterpreterKind) -> None:
        try:
            while not self._has_enough(kind):
                self._put(kind, self._make(sandbox, image, kind))
        except BaseException as error:
            with self._lock:
                self._underway.discard(kind)
            if not isinstance(error, MachineError):  # closed meanwhile, or whoever asks next will see what is wrong
                raise

    def _has_enough(self, kind: InterpreterKind) -> bool:
        """Return whether no more are wanted: then none is underway any more, for whoever takes one from now on."""
        with self._lock:
            enough = kind not in self._spare or len(self._spare[kind]) >= READY
            if enough:
                self._underway.discard(kind)
            return enough

    def _put(self, kind: InterpreterKind, interpreter: Interpreter) -> None:
        """Keep one that was made; end what nobody has asked for lately, which may be this one."""
        with self._lock:
            self._spare.get(kind, gone := deque[Interpreter]()).append(interpreter)
            loaded = [each for each in self._spare if each.modules]
            for old in loaded[:-KINDS]:
                gone += self._spare.pop(old)
        for spare in gone:
            spare.session.close()
