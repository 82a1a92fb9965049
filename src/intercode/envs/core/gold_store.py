"""Golds on disk: one JSON file each, written aside and renamed, so that a killed writer leaves nothing half."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from intercode.rewards.base import Gold, Outcome
from intercode.sandboxes.base import Change, Entry


def load(path: Path) -> Gold | None:
    """The gold in *path*; None where there is none, or none that this version can read."""
    try:
        return _gold(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(path: Path, gold: Gold) -> None:
    """Write *gold* to *path*. A cache that cannot be written is no reason to stop: then nothing is kept."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(gold) | {"explicit_times": sorted(gold.explicit_times)}, separators=(",", ":"))
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
    return Gold(**{**data, **outcomes, "explicit_times": frozenset(data["explicit_times"])})


def _outcome(data: dict[str, Any]) -> Outcome:
    return Outcome(**{**data, "changes": tuple(_change(change) for change in data["changes"])})


def _change(data: dict[str, Any]) -> Change:
    return Change(data["path"], *(None if data[side] is None else Entry(**data[side]) for side in ("before", "after")))
