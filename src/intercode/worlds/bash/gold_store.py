"""What is known of golds, on disk: one JSON file each, written aside and renamed, so that none is ever half there."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from intercode.rewards.core.file_endings import FinalState, Gold
from intercode.util.atomic_write import write_text
from intercode_sandbox.sandbox import Change, Entry

_SETS = ("explicit_times", "start_times")
"""The fields of a gold that are sets of paths, which JSON has as lists."""


def load(path: Path) -> Gold | None:
    """Return the gold in *path*; None where there is none that this version can read."""
    try:
        return _gold(json.loads(path.read_bytes()))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def save(path: Path, gold: Gold) -> None:
    """Write *gold* to *path*. A cache that cannot be written is no reason to stop: then nothing is kept."""
    data = asdict(gold) | {name: sorted(getattr(gold, name)) for name in _SETS}
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(data, separators=(",", ":")), mode=0o600)


def _gold(data: dict[str, Any]) -> Gold:
    outcomes = {name: _final_state(data[name]) for name in ("paper", "exact")}
    return Gold(**{**data, **outcomes, **{name: frozenset(data[name]) for name in _SETS}})


def _final_state(data: dict[str, Any]) -> FinalState:
    return FinalState(**{**data, "changes": tuple(_change(change) for change in data["changes"])})


def _change(data: dict[str, Any]) -> Change:
    return Change(data["path"], *(None if data[side] is None else Entry(**data[side]) for side in ("before", "after")))
