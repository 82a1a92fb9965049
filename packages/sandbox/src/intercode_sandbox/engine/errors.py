"""What an engine says when it fails, as the errors that sandboxes raise."""

from __future__ import annotations

import json

from intercode_sandbox.errors import SandboxError, SandboxGoneError, SessionLostError

HINT = " (see `intercode doctor`)"
"""What a message about an engine ends with, except where the doctor itself shows it."""

GONE = ("No such container", "no such container", "is not running", "no container with name or ID")
"""How engines speak of a container that has ended or was removed."""

NO_PATH = "No such container:path"
"""How the `docker` of 20.10 speaks of a path that is not there, and of any path in a container that is not there."""


class EngineError(SandboxError):
    """The engine's answer to a question that failed: *status* is HTTP's."""

    def __init__(self, what: str, status: int, answer: bytes) -> None:
        super().__init__(f"{what}: the container engine says: {_message(answer)}")
        self.status = status

    @property
    def is_gone(self) -> bool:
        """Return whether what was asked for is not there, or just going."""
        return self.status == 404 or (self.status == 409 and "already in progress" in str(self))


def _message(answer: bytes) -> str:
    """Return the words in an answer: all of it where it has another shape."""
    text = answer.decode("utf-8", "replace").strip()
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return text or "it said nothing"


def path_error(errors: str, path: str) -> Exception:
    """Return what to raise for an engine's *errors* about a *path*.

    An OSError as Python's `open` would, or that all is gone.

    The path may hold any words, so it is taken out before the rest is looked at.
    """
    said = errors.replace(path, "")
    if any(words in said for words in GONE):
        return SandboxGoneError("the container of this session has ended: start another")
    if "not a directory" in said:
        return NotADirectoryError(20, "Not a directory", path)
    if "annot overwrite directory" in said or "is a directory" in said:
        return IsADirectoryError(21, "Is a directory", path)
    if "Could not find the file" in said or "no such file" in said or "could not be found" in said:
        return FileNotFoundError(2, "No such file or directory", path)
    if "daemon" in said and "response" not in said:
        return failure("reading or writing a file", errors)
    return OSError(22, said.removeprefix("Error response from daemon: ") or "the engine says nothing", path)


def failure(what: str, errors: str) -> SandboxError:
    """Return the error of a command that has failed, with the last of what it said."""
    last = "\n".join(errors.splitlines()[-12:]) or "it said nothing"
    if any(words in errors for words in GONE):
        return SandboxGoneError(f"{what}: {last}")
    return SandboxError(f"{what}: the container engine says: {last}{HINT}")


def diff_error(errors: str) -> SandboxError:
    """Return what to raise where the engine's *errors* say why it does not tell what has changed."""
    if any(words in errors for words in GONE) or "annot connect" in errors:
        return failure("asking what has changed in a container", errors)
    return SessionLostError(f"what this session has changed cannot be read: {errors}")
