"""What is known of golds, on disk: one JSON file each, written aside and renamed, so that none is ever half there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from intercode.atomic_write import write_text
from intercode.rewards.bash.final_state import FinalState, Gold
from intercode.sandboxes.base import Change, Entry

_SETS = ("explicit_times", "start_times")
"""The fields of a gold that are sets of paths, which JSON has as lists."""


@dataclass(frozen=True, slots=True)
class StoredGold:
    """A gold, and how sure it is (see `GoldCache`).

    Attributes:
        gold: What it leaves behind.
        at: When it was studied, in seconds since 1970.
        verified: Whether it needs no more proof.
        rechecks: How often it has done the same once more, for each ending that did not agree with it, by its name.
    """

    gold: Gold
    at: float
    verified: bool = False
    rechecks: Mapping[str, int] = field(default_factory=dict)


Version = tuple[int, int]
"""Which of the files that have had one name: each that replaces another differs from it."""


def version(path: Path) -> Version | None:
    """The version of the file *path*; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def load(path: Path) -> StoredGold | None:
    """What is known in *path*; None where nothing is, or nothing that this version can read."""
    try:
        data = json.loads(path.read_bytes())
        rechecks = {str(ending): int(count) for ending, count in dict(data["rechecks"]).items()}
        return StoredGold(_gold(data["gold"]), float(data["at"]), bool(data["settled"]), rechecks)
    except (OSError, ValueError, LookupError, TypeError):
        return None


def save(path: Path, known: StoredGold) -> None:
    """Write *known* to *path*. A cache that cannot be written is no reason to stop: then nothing is kept."""
    gold = asdict(known.gold) | {name: sorted(getattr(known.gold, name)) for name in _SETS}
    data = {"gold": gold, "at": known.at, "settled": known.verified, "rechecks": dict(known.rechecks)}
    text = json.dumps(data, separators=(",", ":"))
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text, mode=0o600)


def _gold(data: dict[str, Any]) -> Gold:
    outcomes = {name: _final_state(data[name]) for name in ("paper", "exact")}
    return Gold(**{**data, **outcomes, **{name: frozenset(data[name]) for name in _SETS}})


def _final_state(data: dict[str, Any]) -> FinalState:
    return FinalState(**{**data, "changes": tuple(_change(change) for change in data["changes"])})


def _change(data: dict[str, Any]) -> Change:
    return Change(data["path"], *(None if data[side] is None else Entry(**data[side]) for side in ("before", "after")))
