"""What lies in a folder's `files/`, as a layer: `files/srv/notes.txt` is `/srv/notes.txt` in the sandbox."""

from __future__ import annotations

import os
from pathlib import Path

from intercode.errors import BadDataError
from intercode_sandbox.images.files_layer import FilesLayer

MOST = 64 << 20
"""Bytes that the files may have together: they are held in memory. More belongs into an image."""


def files_layer(folder: Path) -> FilesLayer | None:
    """Return all in *folder*, root's, with their modes for execution but not their times; None where there is nothing.

    Raises:
        BadDataError: For what is neither file, folder nor link, and for too much of it.
    """
    if not folder.is_dir():
        return None
    files, links, directories, modes = {}, {}, [], {}
    left = MOST
    for path in sorted(folder.rglob("*")):
        place = "/" + path.relative_to(folder).as_posix()
        if path.is_symlink():
            links[place] = os.readlink(path)
        elif path.is_dir():
            directories.append(place)
        elif path.is_file():
            left -= path.stat().st_size
            if left < 0:
                raise BadDataError(f"{folder}: over {MOST >> 20} MB: put large files into an image (a Dockerfile)")
            files[place] = path.read_bytes()
            modes[place] = 0o755 if path.stat().st_mode & 0o100 else 0o644
        else:
            raise BadDataError(f"{path} is neither a file nor a folder nor a link: it cannot be put into an image")
    if not (files or links or directories):
        return None
    return FilesLayer(files, links=links, directories=tuple(directories), modes=modes, title=f"the files in {folder}")
