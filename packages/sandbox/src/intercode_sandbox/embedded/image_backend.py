"""What the sessions of one image share in the embedded sandbox: the processes that start them, its layers' folders."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import replace

from intercode_sandbox.embedded.scratch import Scratch
from intercode_sandbox.embedded.session import SessionBase
from intercode_sandbox.embedded.stager import Stager
from intercode_sandbox.embedded.supervisor import Supervisor
from intercode_sandbox.embedded.user_namespace import SandboxUser, UserNamespace
from intercode_sandbox.images import Image
from intercode_sandbox.runner import protocol
from intercode_sandbox.runner.lower_layers import LowerLayers
from intercode_sandbox.sandbox import Limits

_ADDRESS_SPACE_FACTOR = 4
"""Without a control group: address space for each process, in units of the session's memory limit. Programs reserve
far more than they use; what all hold together is watched besides."""


class ImageBackend:
    """A supervisor, and the layers' folders open for comparing; `users` are its sessions, and those on their way."""

    def __init__(self, key: str, supervisor: Supervisor) -> None:
        self.key, self.supervisor, self.users = key, supervisor, 0
        mounts = supervisor.mounts
        self.fresh_layers = [1 + i for i, mount in enumerate(mounts) if mount.fresh]
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        opened = [(1 + i, os.open(mount.path, flags)) for i, mount in enumerate(mounts)]
        self.lowers = opened[::-1]
        self.remembered = LowerLayers(self.lowers)
        self.stager: Stager | None = None
        self._base: SessionBase | None = None
        self.requests: dict[Limits, protocol.SessionRequest] = {}
        """Those for sessions made ahead, which are alike but for their limits."""

    @property
    def alive(self) -> bool:
        """Return whether sessions can be started here."""
        return self.supervisor.alive and (self.stager is None or self.stager.alive)

    def start_stager(self, who: SandboxUser, namespace: UserNamespace) -> None:
        """Have overlays mounted by a stager; where that cannot start, nothing is left of either process."""
        try:
            self.stager = Stager(self.supervisor.mounts, who, namespace)
        except BaseException:
            self.close()
            raise

    def session_base(self, who: SandboxUser, scratch: Scratch | None) -> SessionBase:
        """Return what all sessions here stand on."""
        if self._base is None:
            self._base = SessionBase(self.supervisor, who, scratch, self.lowers, self.remembered, self.stager)
        return self._base

    def end(self) -> None:
        """End both processes; what sessions changed can still be read."""
        self.supervisor.close()
        if self.stager is not None:
            self.stager.close()

    def close(self) -> None:
        """End both processes and let go of the layers."""
        self.end()
        for _, descriptor in self.lowers:
            os.close(descriptor)


def connect(
    backend: ImageBackend, request: protocol.SessionRequest, given: Sequence[int], group: Sequence[int]
) -> socket.socket:
    """Ask for a session; *given* is a snapshot's descriptor, *group* that of a control group's entrance, if any."""
    if backend.stager is None:
        return backend.supervisor.request(request.encoded, [*given, *group])
    staged = replace(request, staged=True)
    stage = backend.stager.stage(staged.encoded, given)
    try:
        return backend.supervisor.request(replace(staged, goes_on=False).encoded, [stage, *group])
    finally:
        os.close(stage)


def session_request(
    backend: ImageBackend, image: Image, limits: Limits, stamp: int, shuffle: int, *, scratch_number: int, goes_on: bool
) -> protocol.SessionRequest:
    """Return the order for a session of *backend*.

    *scratch_number* is its folder's, where what it writes is on disk.
    """
    if stamp or shuffle or scratch_number or goes_on:
        return _request(backend, image, limits, stamp, shuffle, scratch_number=scratch_number, goes_on=goes_on)
    known = backend.requests.get(limits)
    if known is None:
        known = backend.requests[limits] = _request(backend, image, limits, 0, 0, scratch_number=0, goes_on=False)
    return known


def _request(
    backend: ImageBackend, image: Image, limits: Limits, stamp: int, shuffle: int, *, scratch_number: int, goes_on: bool
) -> protocol.SessionRequest:
    groups = backend.supervisor.groups
    watched = groups is None
    mounts = backend.supervisor.mounts
    return protocol.SessionRequest(
        disk=limits.disk,
        inodes=limits.inodes,
        address_space=limits.memory * _ADDRESS_SPACE_FACTOR if watched else 0,
        resident=limits.memory if watched else 0,
        stamp=stamp,
        processes=limits.processes,
        layers=len(mounts),
        copied=sum(1 << i for i, mount in enumerate(mounts) if mount.fresh or (shuffle and i > 0)),
        shuffle=shuffle,
        hostname=image.hostname,
        binds=backend.supervisor.binds,
        scratch=scratch_number,
        goes_on=goes_on,
        enters=groups is not None and groups.mode == "enters",
        grouped=groups is not None and groups.mode == "grouped",
    )
