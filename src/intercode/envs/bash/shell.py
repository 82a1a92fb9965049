"""The promise of a shell: how a command's text becomes something that runs, and what of it is seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from intercode.sandboxes.base import Result
from intercode.types import Observation

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

    @abstractmethod
    def run(self, command: str) -> Observation:
        """Run *command*, any text at all, and tell what it did. Raises MachineError only."""

    def memory(self) -> ShellState:
        """What it carries from one command to the next, for another shell to `recall`."""
        return ShellState(self.cwd)

    def recall(self, memory: ShellState) -> None:
        """Go on from what another shell carried."""
        self.cwd = memory.cwd

    def close(self) -> None:  # noqa: B027 - most shells keep nothing
        """End what stays between commands. Closing twice is harmless."""


def find_fault(command: str) -> str:
    """Why no shell can be given *command*; empty where one can."""
    if "\0" in command:
        return "the command holds a NUL byte: no command can"
    try:
        command.encode()
    except UnicodeEncodeError:
        return "the command is not text: it holds a lone surrogate"
    return ""


def observe(result: Result, output: bytes | None = None, seconds: float = 0.0, fate: str = "killed") -> Observation:
    """What an agent sees of *result*: the output, and in brackets what else it must know.

    Bytes that are not UTF-8 are U+FFFD. *output* stands in for the result's own; *fate* says what happened to a
    command that ran for more than *seconds*.
    """
    output = result.output if output is None else output
    text = output.decode("utf-8", "replace")
    if result.truncated:
        text = with_notice(text, f"{result.output_bytes - len(output)} more bytes left out")
    if result.timed_out:
        text = with_notice(text, f"timed out after {seconds:g} s; {fate}")
    exit_code = None if result.timed_out else result.exit_code
    return Observation(text, exit_code, result.timed_out, result.truncated, result.seconds)


def with_notice(text: str, notice: str) -> str:
    """*text*, and on a line of its own what the world says in its own name."""
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}[{notice}]"
