"""Holes that are known: a check fails only for those that an earlier report does not name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from intercode.errors import BadDataError, UserError
from intercode.util.regular_files import read_text

FORM = "it is no report of `intercode hackcheck --json`"


def read_baseline(path: Path) -> frozenset[tuple[str, str]]:
    """Return the holes of the report in the file *path*, each as a task and the class of the mistake.

    Raises:
        UserError: If there is no such file.
        BadDataError: If it is no report.
    """
    try:
        found: Any = json.loads(read_text(path))
    except OSError as error:
        raise UserError(f"cannot read the baseline {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadDataError(f"{path}: {FORM}: {error}") from error
    holes = found.get("holes") if isinstance(found, dict) else None
    if not isinstance(holes, list):
        raise BadDataError(f"{path}: {FORM}: it has no list `holes`")
    for number, hole in enumerate(holes):
        if not isinstance(hole, dict) or not all(isinstance(hole.get(key), str) for key in ("task", "class")):
            raise BadDataError(f"{path}, holes, {number}: {FORM}: expected a task and a class")
    return frozenset((hole["task"], hole["class"]) for hole in holes)
