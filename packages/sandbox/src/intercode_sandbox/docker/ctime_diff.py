"""What has changed in a container whose layers cannot be read here: not by root, or in other storage than overlay2.

Its files are looked at as its programs see them, opened by process 1 where the host may not. Whatever was touched since
the session began has a time of change (`ctime`) that no program can set; how it was before is seen in a container of
the same image in which nothing else ever runs. So any storage will do, at the price of a walk through the whole image.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from intercode_sandbox.deadline import Deadline
from intercode_sandbox.docker.container import Container
from intercode_sandbox.docker.user_ids import UserIds
from intercode_sandbox.images.image import LONGEST_AGE, UNSET_TIME, age_of, time_in_session
from intercode_sandbox.results import file_type
from intercode_sandbox.runner import protocol
from intercode_sandbox.runner.channel import Channel
from intercode_sandbox.runner.command import RunningCommand
from intercode_sandbox.runner.content_digest import digest_of
from intercode_sandbox.runner.overlay_diff import DEPTH_LIMIT, PATH_LIMIT
from intercode_sandbox.sandbox import Change, Entry

_LOOK = os.O_PATH | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EACCES, errno.ENXIO)
_FIND = (
    *("find", "/", "-xdev", "-newermt", f"@{UNSET_TIME - 1}.5", "!", "-newermt", f"@{UNSET_TIME + LONGEST_AGE}"),
    *("-printf", "%T@ %p\\0"),
)


def _nanoseconds(seconds: str) -> int:
    """Return the number for *seconds* as `find` prints them, with a fraction."""
    whole, _, fraction = seconds.partition(".")
    return int(whole) * 10**9 + int(fraction[:9].ljust(9, "0"))


class ContainerView:
    """A container's files, as its process 1 opens them. *stamp*: the time of files without one of their own, if any."""

    def __init__(self, channel: Channel, ids: UserIds, stamp: int | None = None) -> None:
        self._channel, self._ids, self._stamp = channel, ids, stamp

    def look(self, path: str) -> Entry | None:
        """Return what is at *path*, no links followed; None for nothing."""
        with self._open(path, _LOOK) as descriptor:
            if descriptor is None:
                return None
            found = os.fstat(descriptor)
            kind = file_type(found.st_mode)
            owners = self._ids.owner(found)
            if kind == "symlink":
                return Entry(kind, 0o777, *owners, 0, 0, os.readlink("", dir_fd=descriptor))
            entry = Entry(kind, stat.S_IMODE(found.st_mode), *owners, 0, 0)
        return entry if kind != "file" else self._file(path, entry, found)

    def _file(self, path: str, entry: Entry, found: os.stat_result) -> Entry:
        when = found.st_mtime_ns
        if self._stamp is not None:
            when = time_in_session(when, self._stamp)
        with self._open(path, _READ) as descriptor:
            digest = "unreadable" if descriptor is None else digest_of(descriptor)
        return replace(entry, size=found.st_size, mtime_ns=when, digest=digest)

    def names(self, path: str) -> set[str]:
        """Return what is in a folder; nothing where there is none."""
        with self._open(path, _LIST) as descriptor:
            return set() if descriptor is None else set(os.listdir(descriptor))

    def changed_paths(self, since: int) -> Iterator[str]:
        """Yield every path whose state was changed at *since* (nanoseconds) or later.

        On the container's own disk only.
        """
        with self._open("/", _LIST) as root:
            if root is not None:
                yield from self._changed_paths("/", root, os.fstat(root).st_dev, since)

    def _changed_paths(self, folder: str, descriptor: int, device: int, since: int) -> Iterator[str]:
        about = os.fstat(descriptor)
        if about.st_dev != device:
            return
        if about.st_ctime_ns >= since:
            yield folder
        for path, found in self._entries(folder, descriptor):
            if not stat.S_ISDIR(found.st_mode) or _is_cut(path):
                if found.st_ctime_ns >= since:
                    yield path
                continue
            with self._open(path, _LIST, descriptor) as inner:
                if inner is not None:
                    yield from self._changed_paths(path, inner, device, since)

    def _entries(self, folder: str, descriptor: int) -> Iterator[tuple[str, os.stat_result]]:
        """Yield the paths in a folder, and what they are."""
        for name in os.listdir(descriptor):
            path = f"{folder.rstrip('/')}/{name}"
            try:
                yield path, os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except PermissionError:
                with self._open(path, _LOOK) as opened:
                    if opened is not None:
                        yield path, os.fstat(opened)
            except OSError:  # it has just gone
                continue

    @contextmanager
    def _open(self, path: str, flags: int, folder: int = -1) -> Iterator[int | None]:
        """Provide a descriptor, or None where there is nothing (of that kind).

        From *folder*, which it is in, if we may.
        """
        descriptor = self._open_in(folder, path, flags)
        try:
            yield descriptor
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _open_in(self, folder: int, path: str, flags: int) -> int | None:
        try:
            if folder >= 0:
                return os.open(path.rpartition("/")[2], flags | os.O_CLOEXEC, dir_fd=folder)
        except OSError:
            pass  # the session's process 1 may, or knows why not
        try:
            with self._channel.lock:
                return self._channel.open(1, path.lstrip("/") or ".", flags)
        except OSError as error:
            if error.errno in _NOT_THERE:
                return None
            raise


class ReferenceContainer:
    """A container in which nothing has happened, made by *make* when it is first needed, and let go by *drop*."""

    def __init__(self, make: Callable[[], Container], drop: Callable[[Container], None]) -> None:
        self._make, self._drop = make, drop
        self._guard = threading.Lock()
        self._container: Container | None = None
        self._channel: Channel | None = None

    def side(self, stamp: int | None = None) -> ContainerView:
        """Its files.

        Raises:
            SandboxError: If the container does not come up.
        """
        channel, container = self._ready()
        return ContainerView(channel, container.ids, stamp)

    def unset(self) -> dict[str, int]:
        """Return the paths that have no time of their own, with their ages."""
        channel, _ = self._ready()
        with channel.lock:
            command = RunningCommand(
                channel, _FIND, "/", {"PATH": os.defpath}, b"", separate=True, output_limit=1 << 26
            )
            try:
                output = command.wait(Deadline(60.0)).output
            finally:
                command.close()
        lines = (line.partition(b" ") for line in output.split(b"\0") if line)
        found = {os.fsdecode(path): age_of(_nanoseconds(when.decode())) for when, _, path in lines if path != b"/"}
        return {path: age for path, age in found.items() if age is not None}

    def _ready(self) -> tuple[Channel, Container]:
        with self._guard:
            if self._container is None or self._channel is None:
                self._container = self._make()
                self._channel = Channel(self._container.connection, "untouched", self._container.owner)
                self._channel.ask(protocol.order("K"), "K")
            return self._channel, self._container

    def close(self) -> None:
        """Let it go; it is made again where it is asked for again."""
        with self._guard:
            if self._container is not None:
                self._drop(self._container)
            self._container = self._channel = None


def changes(since: int, then: ContainerView, now: ContainerView) -> list[Change]:
    """Return how *now* differs from *then*, where it was touched at *since* (nanoseconds) or later."""
    todo = list(now.changed_paths(since))
    seen: set[str] = set()
    found: list[Change] = []
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        before, after = (None, None) if path == "/" else (then.look(path), now.look(path))
        if _is_cut(path):
            after = after and replace(after, digest="cut") if _type(after) == "directory" else after
        elif path == "/" or "directory" in (_type(before), _type(after)):
            todo += [f"{path.rstrip('/')}/{name}" for name in now.names(path) ^ then.names(path)]
        if before != after:
            found.append(Change(path, before, after))
    return sorted(found, key=lambda change: change.path)


def _is_cut(path: str) -> bool:
    """Return whether nothing below *path* is looked at."""
    return path.count("/") > DEPTH_LIMIT or len(os.fsencode(path)) > PATH_LIMIT


def _type(entry: Entry | None) -> str:
    return "" if entry is None else entry.type
