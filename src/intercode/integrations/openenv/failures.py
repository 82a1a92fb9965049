"""What a client is told when something fails. The machine's failure is an error, never a reward of 0.

Messages of errors under an episode stay in the server's log: what judges an episode may name the gold in them.
"""

from __future__ import annotations

import msgspec
from gymnasium.error import ResetNeeded

from intercode.errors import BadDataError, IntercodeError, MachineError, UserError
from intercode.integrations.serving.sessions import RefusedError, UnknownSessionError
from intercode_sandbox.util.text import shorten

LOST = "{}: the machine failed under the episode, which is over and not scored; the server's log says why"
BROKEN = "{}: the episode cannot be judged; the server's log says why"

FAILURES = (IntercodeError, ResetNeeded, msgspec.MsgspecError)
"""What is answered with an error. Anything else is a bug: it ends the session, with its trace in the log."""


LONGEST = 500
"""Characters of a message, which may repeat what the client has sent."""


class UnknownTypeError(UserError):
    """A message of a type that OpenEnv does not have."""


CODES = (
    (UnknownTypeError, "UNKNOWN_TYPE", 400),
    (msgspec.ValidationError, "VALIDATION_ERROR", 422),
    (msgspec.MsgspecError, "INVALID_JSON", 400),
    (RefusedError, "CAPACITY_REACHED", 503),
    (UnknownSessionError, "SESSION_ERROR", 404),
    (MachineError, "EXECUTION_ERROR", 500),
    (ResetNeeded, "EXECUTION_ERROR", 409),
    (IntercodeError, "EXECUTION_ERROR", 400),
)
"""The code of OpenEnv's and the status of HTTP for each failure; the first that fits counts."""


def describe(error: Exception) -> tuple[dict[str, object], int]:
    """Return what a client is told of *error*, and the status of HTTP."""
    code, status = next((code, status) for kind, code, status in CODES if isinstance(error, kind))
    name = type(error).__name__
    if isinstance(error, MachineError):
        message = LOST.format(name)
    elif isinstance(error, BadDataError):
        message, status = BROKEN.format(name), 500
    else:
        message = shorten(str(error), LONGEST)
    return {"message": message, "code": code, "error": name}, status
