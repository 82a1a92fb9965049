"""Where a run is stored for which nobody has named a folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from intercode.errors import UserError

if TYPE_CHECKING:
    from intercode.runs.settings import Settings


def new(settings: Settings) -> Path:
    """Make a folder that was not there, so that nobody else gets it, named after the time and what is played.

    Raises:
        UserError: If it cannot be made.
    """
    stem = f"{datetime.now():%Y-%m-%d-%H%M%S}-{_base_name(settings.dataset)}-{settings.agent}"
    folder, number = Path("runs", stem), 1
    while not _make_folder(folder):
        number += 1
        folder = Path("runs", f"{stem}-{number}")
    return folder


def _base_name(dataset: str) -> str:
    """Return what a run on *dataset* is called after.

    The end of its name, or the folder's own where it is `.` or `..`.
    """
    place = Path(dataset)
    parts = (place.resolve().name,) if place.name in ("", "..") else place.with_suffix("").parts[-2:]
    return "-".join(parts).replace(":", "-").strip("/-")


def _make_folder(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        return False
    except OSError as error:
        raise UserError(f"cannot make {folder}: {error.strerror}; name another directory with --out") from error
    return True
