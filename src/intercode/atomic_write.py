"""Files that are there whole or not at all, however the writing ends."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_text(path: Path, text: str, *, mode: int = 0o644, durable: bool = False) -> None:
    """Put *text* into the place of *path*, at once for whoever reads it.

    The draft is a file of a new name, so no link that somebody has put into the folder is followed. *durable* waits
    until the text is on the disk.

    Raises:
        OSError: If it cannot be written. Nothing is left behind then.
    """
    with NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8") as file:
        try:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            if durable:
                os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
