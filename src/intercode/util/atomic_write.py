"""Files that are there whole or not at all, however the writing ends."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from intercode.errors import UserError


def check_writable(path: Path) -> None:
    """Look whether *path* can be written, before the work that it is for is begun. Nothing of it is touched.

    Raises:
        UserError: If not.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.exists() and not path.is_file():  # a device or a pipe would be replaced by a file
            raise OSError(errno.EINVAL, "Not a regular file")
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}."):
            pass
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; name another file with --out") from error


def write_text(path: Path, text: str, *, mode: int = 0o644, durable: bool = False) -> None:
    """Put *text* into the place of *path*, in UTF-8: see `write_bytes`.

    Raises:
        OSError: If it cannot be written. Nothing is left behind then.
    """
    write_bytes(path, text.encode(), mode=mode, durable=durable)


def write_bytes(path: Path, data: bytes, *, mode: int = 0o644, durable: bool = False) -> None:
    """Put *data* into the place of *path*, at once for whoever reads it.

    The draft is a file of a new name, so no link that somebody has put into the folder is followed, and several may
    write at a time. *durable* waits until the data are on the disk.

    Raises:
        OSError: If it cannot be written. Nothing is left behind then.
    """
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
