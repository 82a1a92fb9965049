"""Runs, as commands read them that look at many episodes once and then end."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from os.path import realpath  # unlike Path's, it stands links in a circle
from pathlib import Path
from typing import TYPE_CHECKING

from intercode.errors import BadDataError, UserError
from intercode_sandbox.util.text import pluralize

if TYPE_CHECKING:
    from intercode.runs.store import StoredRun

MOST = 20
"""Runs of a folder that are listed, the last ones by name."""


def read(paths: Sequence[Path], *, outlines: bool = False) -> list[StoredRun]:
    """Return the runs at *paths*, as `store.read` has them; one that is named twice is read once.

    All of it is needed until the program ends, so the search for garbage need not go through it again and again.

    Raises:
        BadDataError: If one of them is no run, or a malformed one.
        UserError: If one is a folder of runs. Lists the runs in it.
    """
    from intercode.runs import store

    for path in paths:
        refuse_folder_of_runs(path)
    found = [store.read(path, outlines=outlines) for path in distinct(paths)]
    gc.freeze()
    return found


def read_readable(paths: Sequence[Path], *, outlines: bool = False) -> tuple[list[StoredRun], list[BadDataError]]:
    """Return those of the runs at *paths* that can be read, and why the others cannot.

    Raises:
        BadDataError: If none can be read.
        UserError: If one is a folder of runs.
    """
    found: list[StoredRun] = []
    errors: list[BadDataError] = []
    for path in distinct(paths):
        try:
            found += read([path], outlines=outlines)
        except BadDataError as error:
            errors.append(error)
    if not found and errors:
        raise errors[0]
    return found, errors


def distinct(paths: Sequence[Path]) -> list[Path]:
    """Return *paths* without those that lead to the same place as one before."""
    found: dict[str, Path] = {}
    for path in paths:
        found.setdefault(realpath(path), path)
    return list(found.values())


def refuse_folder_of_runs(path: Path) -> None:
    """Refuse a folder of runs where a run is wanted.

    Raises:
        UserError: If *path* is a folder of runs and no run. Lists the runs inside.
    """
    from intercode.runs.resume import is_run

    if not path.is_dir() or is_run(path):
        return
    if inside := sorted(each for each in path.iterdir() if is_run(each)):
        listed = "\n".join(f"  {each}" for each in inside[-MOST:])
        older = f"\n  and {len(inside) - MOST} more" if len(inside) > MOST else ""
        raise UserError(
            f"{path} is not a run, but holds {pluralize(len(inside), 'run')}; name one of them:\n{listed}{older}"
        )
