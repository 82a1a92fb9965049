"""One tree of errors; where one stands says whose fault it is.

    IntercodeError
    ├── UserError                  the caller asked for something that cannot be: fix the call
    │   ├── UnknownNameError       no plug-in, task or image of that name
    │   ├── BadDataError           a data set, a run directory or a trajectory that cannot be read
    │   │   └── RewardError        a task's own reward raised something, or gave what is no reward
    │   ├── UnsafeError            running code unguarded without saying so
    │   ├── SnapshotError          what was done in a state leaves no way to keep it or to go back to it
    │   └── ModelRefusedError      a model's server will answer nothing at all: a wrong key, no such model
    ├── MachineError               the machine lacks something or gave way: never a reward of 0
    │   ├── SandboxError           a sandbox could not start, or broke while it ran
    │   │   └── SandboxGoneError   the session's process 1 died under a command
    │   │       └── SessionLostError  of what ran in it, while its sandbox is sound: judged, as a failure
    │   ├── DatabaseError          a database server could not start, or broke while it ran
    │   │   └── DatabaseGoneError  it died under a session, and what the session did with it
    │   │       └── DatabaseLostError  of what the session did: judged, as a failure
    │   ├── ImageError             an image could not be built or is not a root file system
    │   ├── DownloadError          published data could not be fetched or has the wrong checksum
    │   ├── ModelError             a model gave no answer, however often it was asked
    │   │   ├── ContextOverflowError  the conversation is longer than it can read
    │   │   └── RefusalError       its provider will not answer this conversation: the episode is `refused`
    │   └── StoppedEarlyError      a run's first episodes all failed alike, so the others were not played
    ├── BudgetExceededError        a run has used the money or the tokens that it may; what is finished is stored
    └── InterruptedRunError        a person pressed Ctrl-C; what is finished is stored

What the *agent* does wrong is an observation and never an exception; where it breaks the session that it is in,
environments turn the exception into an episode that has failed. A bug of ours is none of these: it is left to
crash with its trace. Errors of sandboxes and images are those of `intercode_sandbox.errors`.
"""

from __future__ import annotations

from typing import Any

from intercode_sandbox.errors import (
    ImageError,
    IntercodeError,
    MachineError,
    SandboxError,
    SandboxGoneError,
    SessionLostError,
    SnapshotError,
    UnknownNameError,
    UnsafeError,
    UserError,
)

__all__ = [
    "BadDataError",
    "BudgetExceededError",
    "ContextOverflowError",
    "DatabaseError",
    "DatabaseGoneError",
    "DatabaseLostError",
    "DownloadError",
    "ImageError",
    "IntercodeError",
    "InterruptedRunError",
    "MachineError",
    "ModelError",
    "ModelRefusedError",
    "RefusalError",
    "RewardError",
    "SandboxError",
    "SandboxGoneError",
    "SessionLostError",
    "SnapshotError",
    "StoppedEarlyError",
    "UnknownNameError",
    "UnsafeError",
    "UserError",
]


class BadDataError(UserError):
    """Input that is missing or malformed: the message holds the file and the line or field."""


class RewardError(BadDataError):
    """A task's own reward raised something, or gave what is no reward: its author's mistake, so no episode is scored.

    The message holds its file and line.
    """


class ModelRefusedError(UserError):
    """A model's server will answer no question of this run: the message says what is wrong, never the key."""


class DatabaseError(MachineError):
    """A database server could not be had, or failed underneath a statement."""


class DatabaseGoneError(DatabaseError):
    """The server died and took with it what the session did; nothing more can be run in it."""


class DatabaseLostError(DatabaseGoneError):
    """What a session did made its server die. Another session works."""


class DownloadError(MachineError):
    """Published data could not be fetched, or its checksum is not the pinned one."""


class ModelError(MachineError):
    """A model gave no answer, or none that can be read, however often it was asked."""


class ContextOverflowError(ModelError):
    """The conversation is longer than the model can read: asking again helps only with a shorter one."""


class AnswerTooLateError(ModelError):
    """The time of the episode was over before the model had answered: the episode is truncated."""


class RefusalError(ModelError):
    """A provider will not answer this conversation: its filter or policy, or an answer with nothing in it.

    The message holds the provider's words; `usage` is what the answer used, None where there was none; `is_cut` says
    whether the answer with nothing in it was out of tokens, so that more of them might help.
    """

    def __init__(self, message: str, usage: Any = None, *, is_cut: bool = False) -> None:
        super().__init__(message)
        self.usage, self.is_cut = usage, is_cut


class StoppedEarlyError(MachineError):
    """The first episodes of a run all failed for the same reason: the message holds it, and says how to go on."""


class BudgetExceededError(IntercodeError):
    """A run has used what it may of money or tokens. Everything finished is stored; the message says how to go on."""


class InterruptedRunError(IntercodeError):
    """A person stopped the work. Everything finished is stored; the message says how to go on."""
