"""How what a command did becomes what an agent sees."""

from __future__ import annotations

import math
from numbers import Integral

from intercode.errors import BadDataError
from intercode.rewards.core.judge import as_float
from intercode.types import Observation
from intercode_sandbox.sandbox import Result


def observe(result: Result, output: bytes | None = None, seconds: float = 0.0, fate: str = "killed") -> Observation:
    """Return what an agent sees of *result*: the output, and in brackets what else it must know.

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


def as_observation(returned: object, task: str, method: str) -> Observation:
    """Return what a world, which may be a user's own, has *returned* from *method*.

    Made of plain values, whatever it was.

    Raises:
        BadDataError: If a run's record cannot hold it.
    """
    if isinstance(returned, Observation):
        if _is_plain(returned):
            return returned
        text: object = returned.text
        code: object = returned.exit_code
        numbers = [as_float(each) for each in (returned.timed_out, returned.truncated, returned.seconds)]
        if isinstance(text, str) and isinstance(code, Integral | None) and all(map(math.isfinite, numbers)):
            timed_out, truncated, seconds = numbers
            exit_code = None if code is None else int(code)
            return Observation(str(text), exit_code, bool(timed_out), bool(truncated), seconds)
    wanted = "expected an Observation with a text, a whole number or None as exit code, and a number of seconds"
    raise BadDataError(f"{task}: the world's {method}() gave {returned!r}: {wanted}")


def _is_plain(observation: Observation) -> bool:
    """Return whether a record can hold *observation* as it is, as nearly always."""
    return (
        type(observation.text) is str
        and (observation.exit_code is None or type(observation.exit_code) is int)
        and type(observation.timed_out) is bool
        and type(observation.truncated) is bool
        and type(observation.seconds) is float
        and math.isfinite(observation.seconds)
    )


def with_notice(text: str, notice: str) -> str:
    """Return *text*, and on a line of its own what the world says in its own name."""
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}[{notice}]"
