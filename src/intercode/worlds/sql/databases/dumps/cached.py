"""What is made once and kept: a folder in the cache that is there whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

from intercode.errors import DatabaseError
from intercode_sandbox.util import paths
from intercode_sandbox.util.locks import locked


def cached_folder(kind: str, key: str, make: Callable[[Path], None], busy: Callable[[], None] = lambda: None) -> Path:
    """Return the folder of that *kind* and *key*, filled by *make* where it is not there yet.

    One process makes it and the others wait, after calling *busy*; what is half made is never seen.
    """
    place = paths.cache() / "databases" / kind
    target = place / key
    if target.is_dir():
        return target
    try:
        place.mkdir(parents=True, exist_ok=True)
        with locked(place / f".{key}.lock", busy):
            if not target.is_dir():
                _make(place, target, make)
    except PermissionError as error:
        raise DatabaseError(f"{error.filename}: {error.strerror}; INTERCODE_CACHE names another folder") from error
    return target


def _make(place: Path, target: Path, make: Callable[[Path], None]) -> None:
    folder = Path(mkdtemp(prefix=".making-", dir=place))
    try:
        make(folder)
        folder.rename(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
