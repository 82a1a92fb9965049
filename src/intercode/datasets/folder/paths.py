"""What a folder brings lies in it: a folder of somebody else's must not run, or show an agent, files of the user's."""

from __future__ import annotations

from os.path import isabs, normpath, realpath  # unlike Path's, they stand every string
from pathlib import Path

from intercode.errors import BadDataError


def inside(folder: Path, name: str, *, why: str = "") -> Path:
    """Return the path of *name* in *folder*, whether it is there or not.

    Raises:
        BadDataError: If that is an absolute path, goes out by `..`, or leads out by a link. The message begins with
            *why*.
    """
    path = folder / name
    if isabs(name) or normpath(name).split("/")[0] == "..":
        raise BadDataError(f"{why or path}: {name!r} is not in the folder {folder}: put what it needs into the folder")
    here, there = realpath(folder), realpath(path)
    if there != here and not there.startswith(f"{here.rstrip('/')}/"):
        raise BadDataError(
            f"{why or path}: a link leads out of the folder {folder}, to {there}: put a copy in its place"
        )
    return path
