"""The words between host and helper: the other side of helper/helper.h, struct by struct."""

from __future__ import annotations

import array
import errno
import os
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from intercode_sandbox import arguments
from intercode_sandbox.errors import SandboxError

STRINGS_LIMIT = 192 << 10
"""Bytes of a command that an order takes along; what is longer goes in a file. Process 1 takes messages of 256 KiB."""

NO_VERSION = bytes(16)
"""What a reply says of the upper layer where nobody can tell whether it has changed."""

LONGEST_REPLY = 56 + (16 << 10) + (4 << 10) + (16 << 10)
"""Bytes: the numbers of a reply, a listing, a folder and an output (`helper/listing.c`) as long as they can be."""

OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors by which this machine refuses this process what it needs: never the doing of a session."""

IN_FILE, HELD = 1, 2
"""Of an order to execute: its strings are in a file; process 1 holds what is printed."""

_QUIET, _LISTED = 1, 2
BAD_FOLDER, BAD_USER = 1 << 16, 1 << 17
_STATE, _ENDED = ord("Q"), ord("E")
IDLE = -2
"""What stands for a status of a job that goes on, has said none and sleeps."""

_REQUEST = struct.Struct("=IIQQQQqIIIIII")
_ORDER = struct.Struct("=IIIIII")
_REPLY = struct.Struct("=IIiI16sIIQQ")
_TIME = struct.Struct("@ll")
_CREDENTIALS = struct.Struct("=iII")
_WAIT, _LOOK = int(socket.MSG_CMSG_CLOEXEC), int(socket.MSG_CMSG_CLOEXEC | socket.MSG_DONTWAIT)
_CUT = int(socket.MSG_CTRUNC)  # plain numbers: socket's own are slow to combine
_ANCILLARY = socket.CMSG_SPACE(4 * 8) + socket.CMSG_SPACE(_CREDENTIALS.size)


@dataclass(frozen=True)
class SessionRequest:
    """What the zygote needs to make an episode (see `struct request` in helper.h)."""

    disk: int
    inodes: int
    address_space: int
    resident: int
    stamp: int
    processes: int
    layers: int
    copied: int
    shuffle: int
    hostname: str
    binds: tuple[str, ...]
    scratch: int = 0
    goes_on: bool = False
    enters: bool = False
    grouped: bool = False
    staged: bool = False

    @cached_property
    def encoded(self) -> bytes:
        """The bytes of an 'N' request."""
        numbers = (self.disk, self.inodes, self.address_space, self.resident, self.stamp, self.processes)
        rest = (
            self.layers,
            self.copied,
            self.shuffle,
            len(self.binds),
            self.goes_on | self.enters << 1 | self.grouped << 2 | self.staged << 3,
        )
        strings = b"".join(text.encode() + b"\0" for text in (self.hostname, *self.binds))
        return _REQUEST.pack(ord("N"), self.scratch, *numbers, *rest) + strings


def snapshot_request(scratch: int) -> bytes:
    """Return the bytes of an 'S' request."""
    return _REQUEST.pack(ord("S"), scratch, *[0] * 11) + b"\0"


class JobUsage(NamedTuple):
    """What the kernel counted of a job and of the children that it waited for, all that is known once it has ended.

    `seconds` of a processor, all together; `memory`: the most bytes that one of them had resident at a time. None where
    it never ran.
    """

    seconds: float | None
    memory: int | None


NO_USAGE = JobUsage(None, None)


class JobEnding(NamedTuple):
    """How a job ended: its wait status, or -errno (see helper.h) if it was not executed; in which folder; its usage."""

    status: int
    folder: str
    usage: JobUsage


class RunnerReply(NamedTuple):
    """One message from the helper. `pid` is the sender's, as this process counts, where the channel asks for it.

    `quiet`, of a job that has ended: whether no process is left in its session but process 1. `version`, where it is
    quiet: what stays the same while nothing in the upper layer changes, or `NO_VERSION`. `listing`, where it is quiet
    and little is in the upper layer: all of that (see `upper_listing.py`). `folder`: where the job ended, or is.
    `output`: what the job printed, where it is quiet, and process 1 holds that; a descriptor of it comes along where
    there is much, or may be more. `processes`, of a job that goes on: how many there are. `usage`, of one that has
    ended: what the kernel counted.
    """

    kind: str
    id: int
    status: int
    text: str
    descriptors: tuple[int, ...]
    pid: int
    quiet: bool = False
    version: bytes = NO_VERSION
    listing: bytes | None = None
    output: bytes = b""
    folder: str = ""
    processes: int = 0
    usage: JobUsage = NO_USAGE


def order(kind: str, job: int = 0, a: int = 0, b: int = 0, c: int = 0, d: int = 0, strings: bytes = b"") -> bytes:
    """Return the bytes of an order to the runner (see `struct order` in helper.h)."""
    return _ORDER.pack(ord(kind), job, a, b, c, d) + strings


def command_strings(argv: Sequence[str], cwd: str, env: Mapping[str, str], identity: str = "") -> bytes:
    """Return what follows an order to execute *argv*.

    Raises:
        UserError: For what cannot travel (see `arguments.check`).
    """
    if not argv or not argv[0]:
        arguments.check(argv, env, cwd)  # says so
    strings = arguments.encode((cwd, identity, *argv)) + _environment(tuple(env.items()))
    arguments.check_length(len(strings))
    return strings


@lru_cache(maxsize=256)  # an image's own, nearly always
def _environment(variables: tuple[tuple[str, str], ...]) -> bytes:
    return arguments.encode([f"{name}={value}" for name, value in variables])


def limit_waits(channel: socket.socket, seconds: float) -> None:
    """Let the kernel end what waits on a blocking *channel* for so long: Python would poll before each call."""
    limit_receiving(channel, seconds)
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _time(seconds))


def limit_receiving(channel: socket.socket, seconds: float) -> None:
    """The same for what waits for a message."""
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _time(seconds))


@lru_cache(maxsize=16)
def _time(seconds: float) -> bytes:
    return _TIME.pack(int(seconds), int(seconds % 1 * 1e6))


def send(channel: socket.socket, message: bytes, descriptors: Sequence[int] = ()) -> None:
    """Send one message.

    Raises:
        SandboxError: If the other side is gone.
    """
    try:
        if descriptors:
            channel.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))])
        else:
            channel.send(message)
    except OSError as error:
        raise SandboxError(f"the sandbox helper no longer listens ({error.strerror})") from error


def receive(channel: socket.socket, *, wait: bool = True) -> RunnerReply | None:
    """Return the next message, or None when the other side has gone.

    Raises:
        TimeoutError: After the channel's time-out.
        BlockingIOError: If there is none and it shall not *wait*.
        OSError: If this process can have no more files: those that came along are lost.
    """
    try:
        data, ancillary, flags, _ = channel.recvmsg(LONGEST_REPLY, _ANCILLARY, _WAIT if wait else _LOOK)
    except ConnectionError:
        return None
    except BlockingIOError as error:
        if wait:
            raise TimeoutError(*error.args) from None
        raise
    descriptors, pid = _ancillary(ancillary) if ancillary else ((), 0)
    if flags & _CUT:
        for descriptor in descriptors:
            os.close(descriptor)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    if len(data) < _REPLY.size:
        return None
    kind, number, status, quiet, version, printed, named, worked, memory = _REPLY.unpack_from(data)
    begin, end = len(data) - printed, len(data) - printed - named
    if end < _REPLY.size:
        return None
    listing = data[_REPLY.size : end] if quiet & _LISTED and kind != _STATE else None
    text = data[_REPLY.size : end].decode("utf-8", "replace") if listing is None and end > _REPLY.size else ""
    is_quiet, folder, output = bool(quiet & _QUIET), os.fsdecode(data[end:begin]), data[begin:]
    return RunnerReply(
        chr(kind), number, status, text, descriptors, pid, is_quiet, version, listing, output, folder, quiet,
        JobUsage(worked / 1e6, memory) if kind == _ENDED else NO_USAGE,
    )  # fmt: skip


def _ancillary(ancillary: Sequence[tuple[int, int, bytes]]) -> tuple[tuple[int, ...], int]:
    """Return the descriptors that came with a message, and who sent it (0: nobody asked)."""
    descriptors, pid = array.array("i"), 0
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(content[: len(content) - len(content) % 4])
        elif level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            pid = _CREDENTIALS.unpack(content[: _CREDENTIALS.size])[0]
    return tuple(descriptors), pid
