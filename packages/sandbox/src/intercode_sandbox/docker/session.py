"""A session in a container, as the host holds it: a channel to its process 1, and its layer's folder."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from intercode_sandbox.docker.base_image import BaseImageState, ProvidedFile
from intercode_sandbox.docker.container import Container
from intercode_sandbox.docker.ctime_diff import ContainerView, ReferenceContainer
from intercode_sandbox.docker.ctime_diff import changes as asked_changes
from intercode_sandbox.docker.layer_folders import open_layer
from intercode_sandbox.engine.owner import this_process
from intercode_sandbox.errors import SandboxError, SnapshotError
from intercode_sandbox.images.engine_store import LABEL
from intercode_sandbox.runner import protocol
from intercode_sandbox.runner.channel import Channel
from intercode_sandbox.runner.content_digest import digest_of
from intercode_sandbox.runner.overlay_diff import OverlayDiff
from intercode_sandbox.runner.session import RunnerSession
from intercode_sandbox.sandbox import Change, Entry, Limits, Snapshot

_FILE = os.O_RDWR | os.O_NOFOLLOW
_TICK = 20_000_000
"""Nanoseconds by which the kernel's times of files may lag behind the clock, at most."""

_TOUCHED = 64 << 10
"""Bytes of paths that one `touch` is given."""


class SnapshotStore(Protocol):
    """Where images of snapshots are until nobody needs them."""

    def keep(self, image: str) -> None:
        """It has been made, and goes with the sandbox at the latest."""

    def release(self, image: str) -> None:
        """Its snapshot is closed: it goes when the last branch has ended."""


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """What a snapshot keeps beside the engine's image: how it differs from the image, and the given files."""

    image: str
    before: Mapping[str, Change]
    given: tuple[ProvidedFile, ...]


class DockerSnapshot(Snapshot):
    """An image that the engine made of a session's container."""

    def __init__(self, base_state: BaseImageState, snapshot: StoredSnapshot, snapshots: SnapshotStore) -> None:
        self.base_state, self.stored = base_state, snapshot
        self._snapshots = snapshots
        self.closed = False

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._snapshots.release(self.stored.image)


class DockerSession(RunnerSession):
    """See `Session`. Calls from several threads are done one after the other."""

    def __init__(
        self, container: Container, base_state: BaseImageState, limits: Limits, stamp: int, snapshots: SnapshotStore
    ) -> None:
        super().__init__(
            base_state.image, limits, Channel(container.connection, base_state.image.name, container.owner)
        )
        self.container = container
        self._base_state, self._stamp, self._snapshots = base_state, stamp, snapshots
        self.layer = open_layer(container.layer) if container.layer else -1
        """Descriptor of the container's own layer; negative where that cannot be read here."""
        self._device = self._device_of("/")
        self._given = {given.path: self._give(given) for given in base_state.given}
        self._set_times()
        self._since = time.time_ns() - _TICK

    def _give(self, given: ProvidedFile) -> Entry | None:
        """Make one of the files that the engine gives a container what the image has; what it is then.

        None for a file that lies in the container's own layer, where `changes` sees it anyway, if it can.
        """
        if given.gone:
            self.run(["rm", "-f", "--", given.path])
            return None
        is_own = self._device_of(given.path) == self._device
        has_reference = self._base_state.reference is not None
        if is_own and not has_reference and given.content is None:
            return None
        try:
            descriptor = self._channel.open(1, given.path.lstrip("/"), _FILE)
        except OSError:
            return None
        try:
            os.truncate(descriptor, 0)
            os.write(descriptor, given.content or b"")
            try:
                os.fchmod(descriptor, given.mode)
                os.fchown(descriptor, *self.container.ids.here(given.owner))
                os.utime(descriptor, ns=(given.mtime_ns, given.mtime_ns))
            except PermissionError:  # it is the container's root's, which is not us
                self._set_attributes(given)
            return None if is_own and not has_reference else self._entry(descriptor)
        finally:
            os.close(descriptor)

    def _set_attributes(self, given: ProvidedFile) -> None:
        """By the container's own programs: a branch may lack them, and is then seen to have other attributes."""
        user, group = given.owner
        self.run(["chmod", f"{given.mode:o}", given.path])
        self.run(["chown", f"{user}:{group}", given.path])
        self.run(["touch", "-d", _moment(given.mtime_ns), given.path])

    def _device_of(self, path: str) -> int:
        """Return the file system that *path* lies on; 0 where nothing is there."""
        try:
            descriptor = self._channel.open(1, path.lstrip("/") or ".", os.O_PATH | os.O_NOFOLLOW)
        except OSError:
            return 0
        try:
            return os.fstat(descriptor).st_dev
        finally:
            os.close(descriptor)

    def _set_times(self) -> None:
        """Give a time before the start to what has none of its own; before any command of the agent's runs."""
        of_age: dict[int, list[str]] = {0: ["/"]}
        for path, age in self._base_state.unset.items():
            of_age.setdefault(age, []).append(path)
        for age, of_it in of_age.items():
            when = _moment(self._stamp - age * 10**9)
            for paths in _chunks(of_it):
                done = self.run(["touch", "-h", "-c", "-d", when, "--", *paths], timeout=60)
                if done.exit_code and self._base_state.unset:
                    raise SandboxError(
                        f"the image {self.image.name!r} has no `touch` to set times with: {done.text.strip()}"
                    )

    def find_changes(self) -> list[Change]:
        found = {change.path: change for change in self._walk_layers()}
        found.update((change.path, change) for change in self._given_changes())
        return sorted(compose_changes(self._base_state.before, found).values(), key=lambda change: change.path)

    def _walk_layers(self) -> list[Change]:
        if self._base_state.reference is not None:
            return self._compare_containers(self._base_state.reference)
        stamps = dict.fromkeys((number for number, _ in self._base_state.lowers), self._stamp)
        walker = OverlayDiff(
            self._open_anyway, self.container.ids.user, self.container.ids.group,
            {} if self._base_state.is_branch or not self._base_state.unset else stamps, "trusted.overlay.opaque",
        )  # fmt: skip
        return walker.changes(self.layer, self._base_state.lowers)

    def _compare_containers(self, reference: ReferenceContainer) -> list[Change]:
        stamp = None if self._base_state.is_branch or not self._base_state.unset else self._stamp
        now = ContainerView(self._channel, self.container.ids)
        mine = {path for path, entry in self._given.items() if entry is not None}
        return [each for each in asked_changes(self._since, reference.side(stamp), now) if each.path not in mine]

    def _open_anyway(self, layer: int, path: str, flags: int) -> int:
        """Only root reads layers, and root needs no help."""
        raise PermissionError(path)

    def _given_changes(self) -> Iterator[Change]:
        for given in self._base_state.given:
            before = self._given[given.path]
            after = self._look(given.path)
            if before is not None and after != before:
                yield Change(given.path, before if given.content is not None else None, after)

    def _look(self, path: str) -> Entry | None:
        try:
            descriptor = self._channel.open(1, path.lstrip("/"), os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            return self._entry(descriptor)
        finally:
            os.close(descriptor)

    def _entry(self, descriptor: int) -> Entry:
        found = os.fstat(descriptor)
        mode, owner = stat.S_IMODE(found.st_mode), self.container.ids.owner(found)
        return Entry("file", mode, *owner, found.st_size, found.st_mtime_ns, digest_of(descriptor))

    def take_snapshot(self) -> DockerSnapshot:
        """See `RunnerSession.take_snapshot`. Files with holes in them may not be larger than the disk limit."""
        before = {change.path: change for change in self.changes()}
        size = sum(change.after.size for change in before.values() if change.after)
        if size > self.limits.disk:
            raise SnapshotError(f"what has changed would take {size} bytes in a snapshot, over the limit on disk")
        given = tuple(self._content(given) for given in self._base_state.given)
        image = self.container.engine.commit(self.container.id, labels={LABEL: this_process()})
        self._snapshots.keep(image)
        return DockerSnapshot(self._base_state, StoredSnapshot(image, before, given), self._snapshots)

    def _content(self, given: ProvidedFile) -> ProvidedFile:
        """Return a given file as it is now, for a branch to begin with."""
        entry = self._look(given.path)
        if entry is None:
            return replace(given, gone=given.content is not None)
        return ProvidedFile(given.path, self.read(given.path), entry.mode, (entry.uid, entry.gid), entry.mtime_ns)

    def stop_all(self) -> None:
        """Kill every process without waiting for that, whoever is using the session."""
        self._channel.send(protocol.order("K"))

    def release(self) -> None:
        """Close the layer's folder."""
        if self.layer >= 0:
            os.close(self.layer)
            self.layer = -1


def _moment(nanoseconds: int) -> str:
    """Return a time as `touch` takes it."""
    return f"@{nanoseconds // 10**9}.{nanoseconds % 10**9:09}"


def compose_changes(first: Mapping[str, Change], then: Mapping[str, Change]) -> dict[str, Change]:
    """Return how a state differs from the beginning, when it differs by *then* from one that differed by *first*."""
    found = {}
    for path in first.keys() | then.keys():
        before = first[path].before if path in first else then[path].before
        after = then[path].after if path in then else first[path].after
        if before != after:
            found[path] = Change(path, before, after)
    return found


def _chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    size = 0
    for path in paths:
        if size + len(path) > _TOUCHED:
            yield chunk
            chunk, size = [], 0
        chunk.append(path)
        size += len(path) + 1
    if chunk:
        yield chunk
