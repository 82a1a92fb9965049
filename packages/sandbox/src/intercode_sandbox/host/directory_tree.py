"""A folder read as a file system of its own: what is in it, and how two readings differ."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random

from intercode_sandbox.errors import SandboxError
from intercode_sandbox.results import Change, Entry, file_type
from intercode_sandbox.util.rooted_paths import open_in, root_descriptor

GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO)
"""How opening fails where something was taken away, or replaced, since it was listed."""

ONLY_FILES = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
"""How files are opened: never waiting for the other end of a FIFO, never through a link put there meanwhile."""

DEPTH_LIMIT = 128
"""Folders above the deepest thing that is looked at."""


def scan(root: Path) -> dict[str, Entry]:
    """Everything below *root* by its path from there (`/dir/file`); what vanishes meanwhile is left out.

    A folder that is too deep, or cannot be read, has the digest `cut` or `unreadable`, and nothing below it is listed.
    No link is followed, even one that takes a folder's place while this looks.
    """
    found: dict[str, Entry] = {}
    with root_descriptor(root) as top:
        folders = [""]
        while folders:
            folder = folders.pop()
            for path, entry in _folder_entries(top, folder):
                found[path] = entry
                if entry.type == "directory" and not entry.digest:
                    folders.append(path)
    return found


def _folder_entries(top: int, folder: str) -> Iterator[tuple[str, Entry]]:
    """Yield what is in a folder, by path."""
    try:
        here = open_in(top, folder or "/", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, links=False)
    except OSError as error:
        if error.errno in GONE:
            return
        raise
    try:
        for name in os.listdir(here):
            path = f"{folder}/{name}"
            try:
                entry = _read_entry(here, name)
            except FileNotFoundError:
                continue
            flaw = _flaw(here, name, path.count("/")) if entry.type == "directory" else ""
            yield path, replace(entry, digest=flaw) if flaw else entry
    finally:
        os.close(here)


def _flaw(folder: int, name: str, depth: int) -> str:
    if depth > DEPTH_LIMIT:
        return "cut"
    return "" if os.access(name, os.R_OK | os.X_OK, dir_fd=folder) else "unreadable"


def _read_entry(folder: int, name: str) -> Entry:
    """Return what stands there itself, links not followed.

    Times are of files only: others move with whatever happens.
    """
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    kind = file_type(status.st_mode)
    digest, size, mtime = "", 0, 0
    if kind == "file":
        digest, size, mtime = _digest(folder, name), status.st_size, status.st_mtime_ns
    elif kind == "symlink":
        target = _target(folder, name)
        digest, size = sha256(target).hexdigest(), len(target)
    return Entry(kind, stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid, size, mtime, digest)


def _target(folder: int, name: str) -> bytes:
    try:
        return os.fsencode(os.readlink(name, dir_fd=folder))
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise FileNotFoundError(error.errno, "it was a link a moment ago", name) from error
        raise


def _digest(folder: int, name: str) -> str:
    digest = sha256()
    try:
        with os.fdopen(os.open(name, ONLY_FILES, dir_fd=folder), "rb", buffering=0) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except PermissionError:
        return "unreadable"
    except OSError as error:
        if error.errno in GONE:
            raise FileNotFoundError(error.errno, "it was another thing a moment ago", name) from error
        raise
    return digest.hexdigest()


def compare(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> list[Change]:
    """Return what differs between two readings, sorted by path."""
    paths = sorted({*before, *after})
    return [Change(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)]


def copy(source: Path, target: Path) -> None:
    """Copy all below *source* into the folder *target*: modes, owners, times, links and odd files kept."""
    _machine("cp", "-a", "--", f"{source}/.", str(target))


def shuffle(root: Path, seed: int) -> None:
    """Enter the names of every folder below *root* anew, in a seeded order; the folders' times are kept."""
    order = Random(seed)
    folders = [root, *(root / path[1:] for path, entry in scan(root).items() if entry.type == "directory")]
    aside = Path(tempfile.mkdtemp(dir=root.parent))
    for folder in folders:
        status = folder.stat()
        names = sorted(os.listdir(folder))
        order.shuffle(names)
        for name in names:
            (folder / name).rename(aside / name)
            (aside / name).rename(folder / name)
        os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))
    aside.rmdir()


def remove(folder: Path) -> None:
    """Remove *folder*, however deep and whatever its modes; harmless where it is gone."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        _machine("chmod", "-R", "u+rwx", "--", str(folder))
        _machine("rm", "-rf", "--", str(folder))


def _machine(*argv: str) -> None:
    done = subprocess.run(argv, capture_output=True, check=False, start_new_session=True)
    if done.returncode:
        raise SandboxError(f"`{' '.join(argv)}` failed: {done.stderr.decode(errors='replace').strip()}")
