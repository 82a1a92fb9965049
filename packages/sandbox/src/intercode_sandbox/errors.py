"""Errors of sandboxes and images; where one stands says whose fault it is.

    IntercodeError
    ├── UserError                  the caller asked for something that cannot be: fix the call
    │   ├── UnknownNameError       no image of that name
    │   ├── UnsafeError            running code unguarded without saying so
    │   └── SnapshotError          what was done in a session leaves no way to keep it or to go back to it
    └── MachineError               the machine lacks something or gave way
        ├── SandboxError           a sandbox could not start, or broke while it ran
        │   └── SandboxGoneError   the session's process 1 died under a command
        │       └── SessionLostError  of what ran in it, while its sandbox is sound
        └── ImageError             an image could not be built or is not a root file system

What a command does wrong is in its `Result` and never an exception. A bug of ours is none of these: it is left to
crash with its trace.
"""

from __future__ import annotations


class IntercodeError(Exception):
    """The root. `str(error)` names the culprit and the way out, in one or two sentences."""


class UserError(IntercodeError):
    """The caller's mistake. The command line prints it without a trace and exits with 2."""


class UnknownNameError(UserError):
    """A name that nothing answers to; the message lists the names that exist."""


class UnsafeError(UserError):
    """Code would run unguarded and nobody said that this is wanted."""


class SnapshotError(UserError):
    """A state cannot be kept, or gone back to, after what was done in it; the message says what is in the way."""


class MachineError(IntercodeError):
    """The machine's failure. Inside a run it makes an `error` episode; elsewhere the command exits with 1."""


class SandboxError(MachineError):
    """A sandbox could not start, or failed underneath a command."""


class SandboxGoneError(SandboxError):
    """The session ended by itself (its process 1 died); nothing more can be run in it."""


class SessionLostError(SandboxGoneError):
    """A command broke its session: it died, cannot be killed or does not answer, and a fresh one works."""


class ImageError(MachineError):
    """An image could not be built, or what was named is no root file system."""
