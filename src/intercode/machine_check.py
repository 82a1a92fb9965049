"""What `intercode doctor` finds out about this machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `ok` is None where the lack only takes something away; `fix` is what to do, or empty."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""
