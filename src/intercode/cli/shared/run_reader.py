"""Runs, as commands read them that look at many episodes once and then end."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intercode.runs.store import StoredRun


def read(paths: Sequence[Path], *, outlines: bool = False) -> list[StoredRun]:
    """The runs at *paths*, as `store.read` has them. Raises BadDataError.

    All of it is needed until the program ends, so the search for garbage need not go through it again and again.
    """
    from intercode.runs import store

    found = [store.read(path, outlines=outlines) for path in paths]
    gc.freeze()
    return found
