"""Sandboxes that are made of what only Linux has say so at once, and in one line."""

from __future__ import annotations

import platform

from intercode.errors import SandboxError


def require_linux(sandbox: str) -> None:
    """Check that this is Linux.

    Raises:
        SandboxError: If it is not. Says what to do instead.
    """
    system = {"Darwin": "macOS"}.get(platform.system(), platform.system())
    if system != "Linux":
        raise SandboxError(
            f"the {sandbox} sandbox needs Linux, and this is {system}: run InterCode in WSL 2 or in a Linux container "
            "(Docker Desktop, Podman: docker run --privileged), or use a Linux machine by `intercode serve`; "
            "SQL with --database sqlite, prompts, reports, exports and the viewer work here"
        )
