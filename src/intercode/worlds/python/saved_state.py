"""What is saved of the Python world: a copy of the interpreter, and its actions, to run them again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from intercode.worlds.python.forks import Fork

Step = tuple[Literal["run", "failed", "judged"], str]
"""The text of an action, or of one that raised an error, or a name that the published judgement left its marks for."""


@dataclass(frozen=True, slots=True)
class PythonState:
    """What is kept of the world: what was run or judged in place, and what that came to.

    `copy` is a fork of the interpreter, which waits in its session; None where a fork would have been another than it.
    `script`, `last` and `submitted` are the environment's own, `state` is the state's name.
    """

    steps: tuple[Step, ...]
    script: tuple[tuple[str, float], ...]
    last: str
    submitted: str
    state: str
    copy: Fork | None = None

    def close(self) -> None:
        """End the copy."""
        if self.copy is not None:
            self.copy.close()
