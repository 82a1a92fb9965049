"""The promise of a shell: how a command's text becomes something that runs, and what of it is seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from intercode.types import Observation

HASH_SEED = {"PYTHONHASHSEED": "0"}
"""What commands find in their environment unless the image says otherwise: Python's sets have one order each time."""

BASH = "/bin/bash"
LONGEST_ARGUMENT = (128 << 10) - 1
"""Bytes that the kernel takes as one argument, without the NUL at its end."""


@dataclass(frozen=True, slots=True)
class ShellState:
    """What a shell carries: its directory, and where one Bash stays, a script that sets all else up, and `$?`."""

    cwd: str
    script: str = ""
    last: int = 0


class Shell(ABC):
    """Runs one command after another in a session. What the agent does wrong is in the observation."""

    cwd: str = "/"
    """Where the next command starts."""

    seconds: float
    """How long the next command may take."""

    @abstractmethod
    def run(self, command: str) -> Observation:
        """Run *command*, any text at all, and tell what it did.

        Raises:
            MachineError: If the sandbox breaks. It raises nothing else.
        """

    def memory(self) -> ShellState:
        """Return what it carries from one command to the next, for another shell to `recall`."""
        return ShellState(self.cwd)

    def recall(self, memory: ShellState) -> None:
        """Go on from what another shell carried."""
        self.cwd = memory.cwd

    def close(self) -> None:  # noqa: B027 - most shells keep nothing
        """End what stays between commands. Closing twice is harmless."""


def find_fault(command: str) -> str:
    """Return why no shell can be given *command*; empty where one can."""
    if "\0" in command:
        return "the command holds a NUL byte: no command can"
    try:
        command.encode()
    except UnicodeEncodeError:
        return "the command is not text: it holds a lone surrogate"
    return ""
