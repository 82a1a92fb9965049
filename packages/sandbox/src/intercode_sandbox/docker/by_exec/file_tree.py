"""What is in a container and how that differs from its image, as tar archives of the engine's tell it.

The engine says which paths were touched (`docker diff`); what is at them is read whole, from outside. What was there
before is known from the image, which is read once. Names in the engine's list may hold line breaks, and so lead astray:
what is looked at for them is the folder that they are in.
"""

from __future__ import annotations

import tarfile
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256

from intercode_sandbox.docker.by_exec.engine import CommandEngine
from intercode_sandbox.errors import SandboxGoneError, SessionLostError
from intercode_sandbox.images.image import age_of, time_in_session
from intercode_sandbox.images.tar_archives import clean
from intercode_sandbox.sandbox import Change, Entry, FileType, Limits

DEPTH_LIMIT = 128
"""Folders above the deepest thing that is looked at."""

ENGINES_OWN = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/.dockerenv", "/run/.containerenv")
MOUNTED = ("/dev", "/proc", "/sys")
"""What an engine lays over every container: it is on no layer, and never a change."""

SMALL = 8 << 20
"""Bytes that are read in the time that one more question to the engine takes."""

MANY = 24
"""Touched things in a folder from which on the folder is read instead of each of them."""

_LISTED = 64 << 20
"""Bytes of paths that the engine may list."""

_SECOND = 10**9
_TYPES: Mapping[bytes, FileType] = {
    tarfile.REGTYPE: "file", tarfile.AREGTYPE: "file", tarfile.LNKTYPE: "file", tarfile.DIRTYPE: "directory",
    tarfile.SYMTYPE: "symlink", tarfile.FIFOTYPE: "fifo",
}  # fmt: skip


@dataclass
class ReadBudget:
    """What may still be read of a session before its changes count as unreadable."""

    bytes: int
    entries: int

    def spend(self, size: int) -> None:
        """Count one thing of *size* bytes.

        Raises:
            SessionLostError: Beyond the limits.
        """
        self.bytes -= size
        self.entries -= 1
        if self.bytes < 0 or self.entries < 0:
            raise SessionLostError("this session holds more than may be read of its changes: it is over its limits")


@dataclass(frozen=True)
class ImageTree:
    """Everything that is in an image, by path.

    `unset` are the paths that have no time of their own, with their ages. `hidden` are those below which nothing of it
    is seen.
    """

    entries: Mapping[str, Entry]
    unset: Mapping[str, int] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()

    @cached_property
    def _paths(self) -> list[str]:
        return sorted(self.entries)

    def below(self, path: str) -> list[str]:
        """Return all paths in the folder *path*."""
        prefix = f"{path.rstrip('/')}/"
        return self._paths[bisect_left(self._paths, prefix) : bisect_left(self._paths, f"{prefix[:-1]}0")]

    def size(self, path: str) -> int:
        """Bytes of all files in the folder *path*."""
        return sum(self.entries[each].size for each in self.below(path))

    def is_hidden(self, path: str) -> bool:
        """Return whether the engine shows something else there."""
        return path in ENGINES_OWN or any(
            path == each or path.startswith(f"{each}/") for each in (*MOUNTED, *self.hidden)
        )


def read_image(engine: CommandEngine, container: str, hidden: tuple[str, ...]) -> ImageTree:
    """Return what is in the image of a *container* in which nothing has ever run."""
    unset: dict[str, int] = {}
    with engine.archive(container, "/") as archive:
        entries = dict(_entries(archive, "/", ReadBudget(1 << 40, 1 << 24), unset))
    seen = {path: age for path, age in unset.items() if not ImageTree({}, hidden=hidden).is_hidden(path)}
    return ImageTree(entries, seen, hidden)


def changes(engine: CommandEngine, container: str, image: ImageTree, stamp: int, limits: Limits) -> list[Change]:
    """Return all that differs, sorted by path.

    *stamp*: the time, in seconds, of the files that the image gives none.
    """
    whole, heads = _places(engine.touched(container, _LISTED), image)
    budget = ReadBudget(4 * limits.disk + image.size("/"), 4 * limits.inodes + len(image.entries))
    before: dict[str, Entry] = {}
    after: dict[str, Entry] = {}
    for path in heads | whole:
        found = dict(_look(engine, container, path, budget, deep=path in whole))
        is_head = path in heads and path in found and found[path].type == "directory"
        known = [path] if is_head else [path, *image.below(path)]
        before.update((each, _stamped(image.entries[each], stamp)) for each in known if each in image.entries)
        after.update(found)
    paths = sorted(path for path in {*before, *after} if not image.is_hidden(path))
    return [Change(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)]


def _look(
    engine: CommandEngine, container: str, path: str, budget: ReadBudget, *, deep: bool
) -> Iterator[tuple[str, Entry]]:
    """Yield what is at *path* now, with all below it if that is wanted; nothing where nothing is."""
    try:
        with engine.archive(container, path, to_end=deep) as archive:
            for found in _entries(archive, path, budget):
                yield found
                if not deep:
                    return
    except (FileNotFoundError, NotADirectoryError):
        return
    except SandboxGoneError:
        raise
    except OSError as error:
        raise SessionLostError(f"what this session has changed cannot be read: {path}: {error}") from error


def _entries(
    archive: tarfile.TarFile, path: str, budget: ReadBudget, unset: dict[str, int] | None = None
) -> Iterator[tuple[str, Entry]]:
    """Yield the members of an archive of what is at *path*, by their paths; *unset* gets those without a time."""
    above = path.rstrip("/").rpartition("/")[0]
    files: dict[str, Entry] = {}
    for member in archive:
        name = clean(member.name)
        where = f"{above}/{name}"
        depth = where.count("/")
        if not name or depth > DEPTH_LIMIT + 1:
            continue
        budget.spend(member.size)
        if unset is not None and (age := age_of(int(member.mtime) * _SECOND)) is not None:
            unset[where] = age
        entry = _entry(archive, member, files)
        if entry.type == "file" and not member.islnk():
            files[name] = entry
        yield where, replace(entry, digest="cut") if entry.type == "directory" and depth > DEPTH_LIMIT else entry


def _entry(archive: tarfile.TarFile, member: tarfile.TarInfo, files: Mapping[str, Entry]) -> Entry:
    """Return one member. Times are of files only, in whole seconds: engines tell no more."""
    kind, mode = _TYPES.get(member.type, "device"), member.mode & 0o7777
    if member.islnk() and clean(member.linkname) in files:
        return files[clean(member.linkname)]
    if kind == "file":
        digest = _digest(archive, member)
        return Entry(kind, mode, member.uid, member.gid, member.size, int(member.mtime) * _SECOND, digest)
    if kind == "symlink":
        target = member.linkname.encode("utf-8", "surrogateescape")
        return Entry(kind, 0o777, member.uid, member.gid, len(target), 0, sha256(target).hexdigest())
    return Entry(kind, mode, member.uid, member.gid, 0, 0)


def _digest(archive: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    content = archive.extractfile(member) if member.isreg() else None
    if content is None:
        return "unreadable"
    digest = sha256()
    while block := content.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def _stamped(entry: Entry, stamp: int) -> Entry:
    if entry.type != "file":
        return entry
    return replace(entry, mtime_ns=time_in_session(entry.mtime_ns, stamp * _SECOND))


@dataclass
class _Plan:
    """Where to look: *whole* things, and *heads*, folders of which all else is looked at by itself."""

    image: ImageTree
    inner: Mapping[str, set[str]]
    whole: set[str] = field(default_factory=set)
    heads: set[str] = field(default_factory=set)

    def add(self, path: str) -> None:
        """Decide how *path* is looked at: as little as is enough, in few questions."""
        if self.image.is_hidden(path):
            return
        inside, is_folder = self.inner.get(path, set()), bool(self.image.below(path))
        if self.image.size(path) <= SMALL or len(inside) > MANY or not (inside or is_folder):
            self.whole.add(path)
            return
        self.heads.add(path)
        for each in inside:
            self.add(each)


def _places(listing: bytes, image: ImageTree) -> tuple[set[str], set[str]]:
    """Return what is to be read whole, and the folders of which only the header is."""
    touched, broken = _touched(listing)
    if "/" in broken:
        return {"/"}, set()
    inner: dict[str, set[str]] = defaultdict(set)
    for path in touched:
        inner[_above(path)].add(path)
    plan = _Plan(image, inner)
    for path in touched:
        if _above(path) not in touched:
            plan.add(path)
    whole = plan.whole | broken
    if image.size("/") <= SMALL * len(whole | plan.heads):
        return {"/"}, set()
    return {path for path in whole if not any(_is_below(path, each) for each in whole)}, plan.heads


def _touched(listing: bytes) -> tuple[set[str], set[str]]:
    """Return the paths of the engine's list, and the folders in which it has a name with a line break."""
    touched: set[str] = set()
    broken: set[str] = set()
    previous = "/"
    for line in listing.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        if line[:3] in ("A /", "C /", "D /"):
            previous = line[2:]
            touched.add(previous)
        else:
            broken.add(_above(previous))
    return touched, broken


def _above(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _is_below(path: str, folder: str) -> bool:
    return path != folder and path.startswith(f"{folder.rstrip('/')}/")
