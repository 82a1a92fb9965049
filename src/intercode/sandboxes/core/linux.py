"""Sandboxes that are made of what only Linux has say so at once, and in one line."""

from __future__ import annotations

from intercode.errors import SandboxError
from intercode.operating_system import is_linux, system_name


def default_sandbox() -> str:
    """The name of the sandbox that is used where none is named: the first that can work on this system."""
    return "embedded" if is_linux() else "docker-cli"


def require_linux(sandbox: str) -> None:
    """Check that this is Linux.

    Raises:
        SandboxError: If it is not. Says what to do instead.
    """
    if not is_linux():
        raise SandboxError(
            f"the {sandbox} sandbox needs Linux, and this is {system_name()}: use --sandbox docker-cli (Docker Desktop "
            "or Podman), run InterCode in WSL 2, or use a Linux machine by `intercode serve`; "
            "SQL with --database sqlite, prompts, reports, exports and the viewer work here"
        )
