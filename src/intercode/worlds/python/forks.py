"""An interpreter's state at a moment, kept as a fork of it that waits in its session.

Only what a fork truly copies is kept so: an interpreter with threads, open files, children or timers is not, nor one
beside which something else runs. Whoever asks then gets None, and has to run the actions again.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

from intercode.worlds.python.interpreter import Interpreter
from intercode_sandbox.sandbox import Process

KEPT = re.compile(r"kept (\d{1,9}) (\d{1,9})")

BACK = re.compile(r"back (\d{1,9})")

MOST = 16
"""Copies that wait at a time in one session."""


@dataclass(frozen=True, slots=True, eq=False)
class Fork:
    """A copy of the interpreter that was `process`; `number` is the copy's own, in the session."""

    copies: Forks
    process: Process | None
    number: int

    def close(self) -> None:
        """It is no longer wanted. It ends with the next that is kept, or with its session."""
        self.copies.drop(self.number)


class Forks:
    """All copies of one *interpreter*. What they hold of the agent's is as little believed as the interpreter is."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._waiting: set[int] = set()
        self._lately: deque[int] = deque(maxlen=64)
        self._dropped: deque[int] = deque()

    def keep(self) -> Fork | None:
        """Return a copy of the interpreter as it is, which goes on unchanged.

        None where a fork would be another than it.
        """
        dropped = [self._dropped.popleft() for _ in range(len(self._dropped))]
        self._waiting -= {*dropped}
        self._lately += dropped
        if len(self._waiting) >= MOST:
            return None
        limits = self._interpreter.session.limits
        room = limits.memory // 2 // (len(self._waiting) + 2)
        reply = self._interpreter.order("keep", self._ours, dropped, room, seconds=limits.seconds)
        if reply.is_lost:
            self._interpreter.untold = reply
        match = KEPT.fullmatch(reply.end)
        if reply.fate or match is None:
            return None
        number, working = map(int, match.groups())
        self._waiting.add(number)
        self._lately.append(working)
        return Fork(self, self._interpreter.process, number)

    def go_back(self, copy: Fork) -> str | None:
        """Let *copy* work on; the name of its variables' state. None where that could not be, or something else runs.

        The interpreter is of no use then.
        """
        interpreter, seconds = self._interpreter, self._interpreter.session.limits.seconds
        if copy.process is None or copy.process is not interpreter.process:
            return None
        working = BACK.fullmatch(interpreter.order("back", copy.number, seconds=seconds).end)
        if working is None:
            return None
        self._lately.append(int(working[1]))
        reply = interpreter.order("arrive", self._ours, seconds=seconds)
        state, _, alone = reply.end.partition(" ")
        return state[:16] if alone == "alone" and not reply.fate else None

    def drop(self, number: int) -> None:
        """End the copy *number* when there is an occasion."""
        self._dropped.append(number)

    @property
    def _ours(self) -> list[int]:
        """All processes that are, or were until lately, the interpreter's or its copies'."""
        return [*self._waiting, *self._lately]
