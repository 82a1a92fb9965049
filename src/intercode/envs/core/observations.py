"""How what a command did becomes what an agent sees."""

from __future__ import annotations

from intercode.sandboxes.base import Result
from intercode.types import Observation


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
