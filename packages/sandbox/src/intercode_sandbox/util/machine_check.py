"""What `intercode doctor` finds out about this machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `ok` is None where the lack only takes something away; `fix` is what to do, or empty.

    Findings that lack one and the same thing have one `cause`; `purpose` is what each wants it for.
    """

    name: str
    ok: bool | None
    detail: str
    fix: str = ""
    cause: str = ""
    purpose: str = ""


def merge_notes(checks: Iterable[Check]) -> list[Check]:
    """Return *checks* with one note for all that lack the same thing: the first, which names their purposes."""
    lacks = dict[str, list[Check]]()
    found = list[Check]()
    for check in checks:
        if check.ok is not None or not check.cause:
            found.append(check)
            continue
        same = lacks.setdefault(check.cause, [])
        if not same:
            found.append(check)
        same.append(check)
    return [_with_purposes(check, lacks[check.cause]) if check.cause in lacks else check for check in found]


def _with_purposes(check: Check, same: Sequence[Check]) -> Check:
    return replace(check, detail=f"only for {', '.join(each.purpose for each in same)}: {check.detail}")
