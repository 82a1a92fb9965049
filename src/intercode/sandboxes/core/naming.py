"""What a sandbox is called in messages."""

from __future__ import annotations

import re


def sandbox_name(owner: object) -> str:
    """`the embedded sandbox`, as users type it, for an instance of `EmbeddedSandbox` or `EmbeddedSession`."""
    name = type(owner).__name__.removesuffix("Sandbox").removesuffix("Session")
    return f"the {re.sub(r'(?<=[a-z])(?=[A-Z])', '-', name).lower()} sandbox" if name else "this sandbox"
