"""What is made once for a sandbox and lives as long as it."""

from __future__ import annotations

import threading
from typing import TypeVar

from intercode_sandbox.sandbox import Sandbox

Kind = TypeVar("Kind")

_guard = threading.Lock()


def sandbox_cache(sandbox: Sandbox, kind: type[Kind]) -> Kind:
    """Return the one *kind* of *sandbox*.

    It is kept in the sandbox itself: what holds sessions of it, in a table beside it, would keep it alive for ever.
    """
    with _guard:
        found: Kind = vars(sandbox).setdefault(f"_{kind.__name__}", kind())
        return found
