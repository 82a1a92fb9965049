"""What a sandbox is called in messages."""

from __future__ import annotations

import re


def sandbox_name(owner: object) -> str:
    """Return `the embedded sandbox`, as users type it, for an instance of `EmbeddedSandbox` or `EmbeddedSession`."""
    name = type(owner).__name__.removesuffix("Sandbox").removesuffix("Session").removesuffix("Exec")
    return f"the {re.sub(r'(?<=[a-z])(?=[A-Z])', '-', name).lower()} sandbox" if name else "this sandbox"
