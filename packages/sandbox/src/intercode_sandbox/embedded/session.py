"""A session of the embedded sandbox: a runner in namespaces of its own, and the upper layer of its overlay."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from intercode_sandbox.embedded.control_groups.groups import SessionGroup
from intercode_sandbox.embedded.scratch import Scratch
from intercode_sandbox.embedded.stager import OPAQUE, TRUSTED_OPAQUE, Stager
from intercode_sandbox.embedded.supervisor import Supervisor, receive_or_fail
from intercode_sandbox.embedded.user_namespace import SandboxUser
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import Image
from intercode_sandbox.runner import protocol
from intercode_sandbox.runner.channel import Channel
from intercode_sandbox.runner.lower_layers import LowerLayers
from intercode_sandbox.runner.overlay_diff import OverlayDiff
from intercode_sandbox.runner.session import RunnerSession
from intercode_sandbox.runner.upper_listing import BadListingError, UpperListing
from intercode_sandbox.sandbox import Change, Limits, Snapshot


@dataclass(frozen=True)
class SessionBase:
    """What a session stands on and shares with others of its image.

    `lowers` are (layer, descriptor) of the layers' folders, highest first; `remembered` is what is known of these.
    `stager` mounts overlays and makes snapshots where nobody else can.
    """

    supervisor: Supervisor
    who: SandboxUser
    scratch: Scratch | None
    lowers: Sequence[tuple[int, int]]
    remembered: LowerLayers
    stager: Stager | None = None

    @cached_property
    def root(self) -> int:
        """The host user that is root in its sessions."""
        return self.who.base

    @cached_property
    def has_users(self) -> bool:
        """Return whether its sessions have users besides their root."""
        return self.who.size > 1


class EmbeddedSnapshot(Snapshot):
    """A copy of an upper layer, held by nothing but this descriptor (and its folder, where it is on disk)."""

    def __init__(self, descriptor: int, image: Image, release: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self.image = image
        self._release = release

    def close(self) -> None:
        """Give the memory back."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
            self._release()

    def __del__(self) -> None:
        self.close()


class EmbeddedSession(RunnerSession):
    """See `Session`; what differs from the image is a folder that only this process and the kernel know."""

    def __init__(
        self, image: Image, limits: Limits, base: SessionBase, stamps: Mapping[int, int], connection: socket.socket,
        group: SessionGroup | None,
    ) -> None:  # fmt: skip
        super().__init__(image, limits, Channel(connection, image.name, base.root))
        self.upper = -1
        """Descriptor of the upper layer: what differs from the image, as overlayfs keeps it."""
        self._base, self._group = base, group
        self._stamps = stamps
        """The times of fresh layers."""

        self._contents: tuple[bytes, Mapping[str, bytes]] = (b"", {})
        """What process 1 has listed last, and what is in the files of that."""

        self.has_users = base.has_users

    def wait_until_up(self) -> None:
        """Wait until its process 1 is there. Harmless when it is.

        Raises:
            SandboxError: If it does not come.
        """
        if self.upper < 0:
            hello = receive_or_fail(self._channel.connection, "R", f"starting a session of image {self.image.name!r}")
            self.upper = hello.descriptors[0]

    @property
    def is_timeless(self) -> bool:
        """Return whether nothing of it but the root folder's time depends on when it starts."""
        return not self._stamps

    def begin(self, stamp: int) -> bool:
        """Have one that was made ahead begin at *stamp*, in nanoseconds; False where it is no longer there."""
        with self._channel.lock:  # the sandbox may be closed meanwhile, and its sessions with it
            if self._channel.closed or not self._base.supervisor.alive:
                return False
            try:
                self.wait_until_up()
            except SandboxError:
                return False
            os.utime(self.upper, ns=(stamp, stamp))
        return True

    def close(self) -> None:
        """See `RunnerSession.close`. Where there is a control group the kernel kills all in it at once."""
        self._kill_group()
        super().close()

    def _kill_group(self) -> None:
        channel = self._channel
        if self._group is not None and not channel.closed and not channel.quiet and channel.home.is_here:
            self._group.kill()

    def find_changes(self) -> list[Change]:
        """See `RunnerSession.find_changes`. What process 1 has listed need not be read."""
        listing = self.listing
        if listing is not None:
            try:
                found = UpperListing(listing, self._base.remembered, self._walker())
                changes = found.changes()
            except BadListingError:
                return self.read_changes()
            self._contents = listing, found.contents
            return changes
        return self.read_changes()

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """See `Session.read`. What process 1 has listed need not be opened: no link leads to such a path."""
        with self._channel.lock:
            self._must_be_open()
            listed, contents = self._contents
            if path in contents and self.listing == listed:
                return contents[path][:limit]
        return super().read(path, limit=limit)

    def read_changes(self) -> list[Change]:
        """Return all that differs from the image, as this process reads it in the upper layer."""
        return self._walker().changes(self.upper, self._base.lowers)

    def _walker(self) -> OverlayDiff:
        who = self._base.who
        return OverlayDiff(
            self._open_layer, who.user_inside, who.group_inside, self._stamps, self.opaque, self._list_folder
        )

    def find_pristine(self) -> bool:
        """See `RunnerSession.find_pristine`: the upper layer is empty."""
        return not os.listdir(self.upper) and self._channel.is_pristine()

    @property
    def opaque(self) -> str:
        """The attribute that marks folders of its upper layer as hiding what is below."""
        return TRUSTED_OPAQUE if self._base.stager else OPAQUE

    def open_upper(self, path: str, flags: int) -> int:
        """Have process 1 open *path* in the upper layer, whoever it belongs to.

        Raises:
            OSError: If it cannot be opened.
        """
        with self._channel.lock:
            return self._open_layer(0, path, flags)

    def _open_layer(self, layer: int, path: str, flags: int) -> int:
        return self._channel.open(1 + layer, path.lstrip("/"), flags)

    def _list_folder(self, path: str) -> list[str]:
        """Return the names in a folder, as the session's programs see it."""
        try:
            folder = self._channel.open(0, path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # taken away while we look
            return []
        try:
            return os.listdir(folder)
        finally:
            os.close(folder)

    def take_snapshot(self) -> EmbeddedSnapshot:
        scratch = self._base.scratch
        number = scratch.acquire() if scratch else 0

        def release() -> None:
            if scratch:
                scratch.release(number)

        try:
            maker = self._base.stager or self._base.supervisor
            with maker.request(protocol.snapshot_request(number), [self.upper]) as answer:
                copy = receive_or_fail(answer, "U", "taking a snapshot").descriptors[0]
        except BaseException:
            release()
            raise
        return EmbeddedSnapshot(copy, self.image, release)

    def release(self) -> None:
        """Close the upper layer."""
        if self.upper >= 0:
            os.close(self.upper)
            self.upper = -1
