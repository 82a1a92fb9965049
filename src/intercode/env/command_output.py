"""What a program that stays prints, cut into pieces: one for each command that it was given.

Behind each command's output comes a word that nobody can know beforehand, between NUL bytes, with what the program says
of the command's end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from secrets import token_hex

from intercode_sandbox.deadline import Deadline
from intercode_sandbox.sandbox import Process, Result

LONGEST_END = 8192
"""Bytes that the word, a status and the longest path need; so many are kept from the end of an output."""

LOOK_UP = 0.1
"""Seconds after which a silent program is asked whether it is still there: a job of its may hold the output open."""


def new_end_marker() -> str:
    r"""Return a word that nobody can know beforehand.

    Its first letter is no digit that `printf` would add to a `\0`.
    """
    return f"w{token_hex(16)}"


@dataclass(slots=True)
class CommandOutput:
    """What one command printed, up to *limit*, until the word comes by.

    `end` is what stood behind the word.
    """

    limit: int
    word: bytes
    data: bytearray = field(default_factory=bytearray)
    left_out: int = 0
    end: str = ""
    is_complete: bool = False

    def add(self, block: bytes) -> None:
        """Take in *block*; look for the word in it."""
        seen = max(len(self.data) - LONGEST_END, 0)
        self.data += block
        if not self.is_complete:
            self._take_end(seen)
        if not self.is_complete and (excess := len(self.data) - self.limit - LONGEST_END) > 0:
            del self.data[self.limit : self.limit + excess]
            self.left_out += excess

    def _take_end(self, seen: int) -> None:
        """Take the first end out of the data, if there is one."""
        begin = self.data.find(b"\0" + self.word, seen)
        finish = self.data.find(b"\0", begin + 1) if begin >= 0 else -1
        if finish < 0:
            return
        self.end = self.data[begin + 1 + len(self.word) : finish].decode("utf-8", "surrogateescape")
        del self.data[begin : finish + 1]
        self.is_complete = True

    def result(self, exit_code: int, fate: str, seconds: float) -> Result:
        """Return all of it as the result of a command to which *fate* was done ("" for nothing)."""
        output, total = bytes(self.data[: self.limit]), len(self.data) + self.left_out
        return Result(exit_code, output, b"", bool(fate), total > len(output), seconds, total)


def read(process: Process, stream: CommandOutput, limit: float | Deadline) -> bool:
    """Read until the command, or the whole program, has ended; False if *limit* (or seconds) comes before that."""
    deadline = limit if isinstance(limit, Deadline) else Deadline(limit)
    while not stream.is_complete:
        block = process.receive(min(max(deadline.left(), 0), LOOK_UP))
        stream.add(block)
        if not block and process.exit_code is not None:
            return True
        if not stream.is_complete and deadline.left() <= 0:  # also where it never stops printing
            return False
    return True
