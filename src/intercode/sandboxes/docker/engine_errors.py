"""Whether an engine answers, and what it says when it does not do what it is asked: always a SandboxError."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from intercode.docker_package import docker_package
from intercode.errors import SandboxError

NO_PACKAGE = "Docker's own Python package is missing: pip install 'intercode-env[docker]'"
NO_ANSWER = "the container engine does not answer ({why}): is it still running? (intercode doctor)"


@contextmanager
def translate_errors(what: str) -> Iterator[None]:
    """Turn what the engine and the way to it raise into a SandboxError that says *what* was going on."""
    try:
        yield
    except failures() as error:
        text = f"the container engine says: {getattr(error, 'explanation', None) or error}"
        if isinstance(error, OSError) and getattr(error, "response", None) is None:  # it happened on the way there
            text = NO_ANSWER.format(why=_reason(error))
        raise SandboxError(f"{what}: {text}") from error


def listens(url: str) -> bool:
    """Whether somebody is at a Unix socket; of other addresses it is not known beforehand."""
    return not why_silent(url)


def why_silent(url: str) -> int:
    """Why nobody can be spoken to at a Unix socket, as an error number; 0 where somebody can."""
    scheme, _, path = url.partition("://")
    if scheme != "unix":
        return 0
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError as error:  # one without a number: the path is too long
            return error.errno or errno.ENAMETOOLONG
    return 0


def usual() -> list[str]:
    """Where an engine is looked for: DOCKER_HOST, else Docker's and Podman's usual sockets."""
    named = os.environ.get("DOCKER_HOST")
    if named:
        return [named]
    own = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    places = ("/var/run/docker.sock", f"{own}/docker.sock", f"{own}/podman/podman.sock", "/run/podman/podman.sock")
    return [f"unix://{place}" for place in places]


def package() -> Any:
    """Docker's own, imported on first use.

    Raises:
        SandboxError: If it is not installed.
    """
    try:
        return docker_package()
    except ImportError as error:
        raise SandboxError(NO_PACKAGE) from error


def failures() -> tuple[type[Exception], ...]:
    """What it raises."""
    import requests.exceptions

    return (package().errors.DockerException, requests.exceptions.RequestException)


def _reason(error: BaseException) -> str:
    """The kernel's words for what is at the bottom of *error*, if it has any; else its own."""
    below: BaseException | None = error
    while below is not None:
        if isinstance(below, OSError) and below.strerror:
            return below.strerror
        below = below.__cause__ or below.__context__
    return str(error)


def status(error: SandboxError) -> int:
    """The HTTP status that the engine answered with; 0 where it did not."""
    return int(getattr(error.__cause__, "status_code", None) or 0)


def is_gone(error: SandboxError) -> bool:
    """Whether what was asked for is not there, or just going."""
    return status(error) == 404 or (status(error) == 409 and "already in progress" in str(error))
