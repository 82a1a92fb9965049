"""A folder read as a file system of its own: what is in it, how two readings differ, where a path in it leads."""

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

from intercode.errors import SandboxError
from intercode.sandboxes.base import Change, Entry, FileType

LINKS_FOLLOWED = 40
"""As many symbolic links as the kernel follows before it says ELOOP."""

_TYPES: dict[int, FileType] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


DEPTH_LIMIT = 128
"""Folders above the deepest thing that is looked at."""


def scan(root: Path) -> dict[str, Entry]:
    """Everything below *root* by its path from there (`/dir/file`); what vanishes meanwhile is left out.

    A folder that is too deep, or cannot be read, has the digest `cut` or `unreadable`, and nothing below it is listed.
    """
    found: dict[str, Entry] = {}
    folders = [""]
    while folders:
        folder = folders.pop()
        for name in _names(f"{root}{folder}"):
            path = f"{folder}/{name}"
            try:
                found[path] = entry = read_entry(f"{root}{path}")
            except FileNotFoundError:
                continue
            if entry.type != "directory":
                continue
            flaw = _flaw(f"{root}{path}", path.count("/"))
            if flaw:
                found[path] = replace(entry, digest=flaw)
            else:
                folders.append(path)
    return found


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _flaw(folder: str, depth: int) -> str:
    if depth > DEPTH_LIMIT:
        return "cut"
    return "" if os.access(folder, os.R_OK | os.X_OK) else "unreadable"


def read_entry(path: str) -> Entry:
    """What stands at *path* itself, links not followed. Times are of files only: others move with whatever happens."""
    status = os.lstat(path)
    kind = _TYPES[stat.S_IFMT(status.st_mode)]
    digest, size, mtime = "", 0, 0
    if kind == "file":
        digest, size, mtime = _digest(path), status.st_size, status.st_mtime_ns
    elif kind == "symlink":
        target = os.fsencode(os.readlink(path))
        digest, size = sha256(target).hexdigest(), len(target)
    return Entry(kind, stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid, size, mtime, digest)


def _digest(path: str) -> str:
    digest = sha256()
    try:
        with open(path, "rb", buffering=0) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except PermissionError:
        return "unreadable"
    return digest.hexdigest()


def compare(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> list[Change]:
    """What differs between two readings, sorted by path."""
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


def inside(root: Path, path: str) -> Path:
    """Where *path* leads when *root* is the root of all: links are followed, and nothing leads out.

    The last part need not exist. Raises OSError (ELOOP) for links that go round in circles.
    """
    done: list[str] = []
    todo = list(_parts(path))
    links = 0
    while todo:
        part = todo.pop(0)
        if part == "..":
            done = done[:-1]
            continue
        here = root.joinpath(*done, part)
        if not here.is_symlink():
            done.append(part)
            continue
        links += 1
        if links > LINKS_FOLLOWED:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        target = os.readlink(here)
        done = [] if target.startswith("/") else done
        todo = [*_parts(target), *todo]
    return root.joinpath(*done)


def _parts(path: str) -> Iterator[str]:
    return (part for part in path.split("/") if part not in ("", "."))
