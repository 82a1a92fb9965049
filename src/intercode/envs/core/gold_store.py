"""What is known of golds, on disk: one JSON file each, written aside and renamed, so that none is ever half there."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from intercode.rewards.base import Gold, Outcome
from intercode.sandboxes.base import Change, Entry

_SETS = ("explicit_times", "start_times")
"""The fields of a gold that are sets of paths, which JSON has as lists."""


@dataclass(frozen=True, slots=True)
class Known:
    """A gold, when it was studied (seconds since the epoch), and whether that needs no more proof (`GoldKeeper`)."""

    gold: Gold
    at: float
    settled: bool = False


def load(path: Path) -> Known | None:
    """What is known in *path*; None where nothing is, or nothing that this version can read."""
    try:
        data = json.loads(path.read_bytes())
        return Known(_gold(data["gold"]), float(data["at"]), bool(data["settled"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def save(path: Path, known: Known) -> None:
    """Write *known* to *path*. A cache that cannot be written is no reason to stop: then nothing is kept."""
    gold = asdict(known.gold) | {name: sorted(getattr(known.gold, name)) for name in _SETS}
    text = json.dumps({"gold": gold, "at": known.at, "settled": known.settled}, separators=(",", ":"))
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=path.parent, prefix=".", delete=False) as file:
            try:
                file.write(text)
                file.flush()
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise


def _gold(data: dict[str, Any]) -> Gold:
    outcomes = {name: _outcome(data[name]) for name in ("paper", "exact")}
    return Gold(**{**data, **outcomes, **{name: frozenset(data[name]) for name in _SETS}})


def _outcome(data: dict[str, Any]) -> Outcome:
    return Outcome(**{**data, "changes": tuple(_change(change) for change in data["changes"])})


def _change(data: dict[str, Any]) -> Change:
    return Change(data["path"], *(None if data[side] is None else Entry(**data[side]) for side in ("before", "after")))
