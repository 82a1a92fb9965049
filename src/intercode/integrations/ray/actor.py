"""The actor that plays on a node: a worker process, whose messages travel by calls of its methods."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import gettempdir
from typing import TYPE_CHECKING

import ray

from intercode.runs.processes import worker
from intercode.runs.processes.worker import Start
from intercode_sandbox.util import paths

if TYPE_CHECKING:
    from ray import ObjectRef

    from intercode.datasets.base import Dataset
    from intercode.integrations.ray.parcel import Parcel

Batch = tuple[list[bytes], bool]
"""What an actor has to say, and whether that is all."""


class ActorChannel:
    """The actor's end: messages wait here until they are asked for."""

    def __init__(self) -> None:
        self._in: SimpleQueue[bytes] = SimpleQueue()
        self._out: SimpleQueue[bytes | None] = SimpleQueue()

    def send_bytes(self, buf: bytes) -> None:
        """See `MessageChannel.send_bytes`."""
        self._out.put(buf)

    def recv_bytes(self) -> bytes:
        """See `MessageChannel.recv_bytes`."""
        return self._in.get()

    def close(self) -> None:
        """There is no more to say."""
        self._out.put(None)

    def deliver(self, message: bytes) -> None:
        """A message has come."""
        self._in.put(message)

    def drain(self) -> Batch:
        """Wait for something to say; it and what there is besides."""
        found = [self._out.get()]
        with suppress(Empty):
            while found[-1] is not None:
                found.append(self._out.get_nowait())
        return [each for each in found if each is not None], found[-1] is None


class EpisodeActor:
    """Plays with several environments what it is handed, until there is no more. It stores nothing.

    *sent* holds a reference to the `Parcel`. What the actors of a node know in common is in a folder called *shared*.
    """

    def __init__(self, start: Start, sent: list[ObjectRef], shared: str, directory: str) -> None:
        self._channel = ActorChannel()
        settle(shared, directory)
        self._thread = threading.Thread(target=self._play, args=(start, sent[0]), daemon=True)
        self._thread.start()

    def _play(self, start: Start, sent: ObjectRef) -> None:
        try:
            worker.serve(self._channel, start, partial(_unpack, start, sent))
        finally:
            self._channel.close()

    def deliver(self, message: bytes) -> None:
        """Hand on what the run's process says."""
        self._channel.deliver(message)

    def exchange(self, said: list[bytes]) -> Batch:
        """Hand on what the run's process has *said*, and wait for what is to be said to it."""
        for message in said:
            self._channel.deliver(message)
        return self._channel.drain()

    def join(self) -> None:
        """Wait until there is no more to play."""
        self._thread.join()


def _unpack(start: Start, sent: ObjectRef) -> Dataset:
    parcel: Parcel = ray.get(sent)
    return parcel.unpack(start.settings)


def settle(shared: str, directory: str) -> None:
    """Begin a process on a node: in the *directory* that relative paths are meant from, where the node has it."""
    folder = shared_folder(shared)
    folder.mkdir(mode=0o700, exist_ok=True)
    os.environ[paths.SHARED] = str(folder)
    with suppress(OSError):
        os.chdir(directory)


def shared_folder(name: str) -> Path:
    """Return a folder of this machine, for this user alone: *name* cannot be guessed."""
    return Path(gettempdir(), name)
