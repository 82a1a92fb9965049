"""Sandboxes that are made of what only Linux has say so at once, and in one line."""

from __future__ import annotations

from intercode_sandbox.errors import SandboxError
from intercode_sandbox.util.operating_system import is_linux, system_name


def default_sandbox() -> str:
    """Return the name of the sandbox that is used where none is named: the first that can work on this system."""
    return "embedded" if is_linux() else "docker"


def require_linux(sandbox: str) -> None:
    """Check that this is Linux.

    Raises:
        SandboxError: If it is not. Says what to do instead.
    """
    if not is_linux():
        raise SandboxError(
            f"the {sandbox} sandbox needs Linux, and this is {system_name()}: use --sandbox docker (Docker Desktop "
            "or Podman), WSL 2, or a Linux machine that runs `intercode serve`. "
            "These need no sandbox: SQL with --database sqlite, prompts, reports, exports and the viewer."
        )
