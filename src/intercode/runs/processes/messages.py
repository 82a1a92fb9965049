"""What a run's process and its worker processes say to each other, over a channel that nobody else has.

What workers say is data only, never a pickle: they stand nearer to hostile code.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

import msgspec

from intercode.conversation import Usage
from intercode.runs.episode_record import EpisodeRecord
from intercode.types import ActionKind


class Message(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """A message. `thread` is the worker's thread that it comes from or is meant for."""


class PlayEpisode(Message, frozen=True):
    """To a worker: the episode to play."""

    thread: int
    task: str
    repeat: int
    seed: int


class NoMoreEpisodes(Message, frozen=True):
    """To a worker: there is nothing more to play."""

    thread: int


class BudgetAnswer(Message, frozen=True):
    """To a worker: whether a model may be asked; *spent* says why not, "" where it may."""

    thread: int
    spent: str


class Stop(Message, frozen=True):
    """To a worker: give up what is under way, and end."""


class EpisodeRequest(Message, frozen=True):
    """From a worker: a thread has nothing to play (any more); *done* is what it has played."""

    thread: int
    done: EpisodeRecord | None


class EpisodeStarted(Message, frozen=True):
    """From a worker: an episode is being reset."""

    task: str
    repeat: int


class TurnStarted(Message, frozen=True):
    """From a worker: an episode's agent is asked for the action of that turn."""

    task: str
    repeat: int
    turn: int


class ActionChosen(Message, frozen=True):
    """From a worker: an episode's agent has decided for an action, of which *text* is the beginning."""

    task: str
    repeat: int
    kind: ActionKind
    text: str


class BudgetRequest(Message, frozen=True):
    """From a worker: may a model be asked?"""

    thread: int


class UsageReport(Message, frozen=True):
    """From a worker: what an answer took."""

    usage: Usage


class Notice(Message, frozen=True):
    """From a worker: a line for people."""

    text: str


class WorkerFailure(Message, frozen=True):
    """From a worker: an exception of this class ended it; *text* is its message, or of a bug its traceback."""

    kind: str
    text: str


ToWorker = PlayEpisode | NoMoreEpisodes | BudgetAnswer | Stop
_News = EpisodeStarted | TurnStarted | ActionChosen | UsageReport | Notice
FromWorker = EpisodeRequest | BudgetRequest | WorkerFailure | _News
_from_worker: msgspec.msgpack.Decoder[FromWorker] = msgspec.msgpack.Decoder(FromWorker)


def is_news(data: bytes) -> bool:
    """Whether this message of a worker is one that nothing waits for, so that a channel may hold it back a little."""
    return isinstance(_from_worker.decode(data), _News)


In = TypeVar("In")


class Channel(Protocol):
    """What carries messages: a `multiprocessing.connection.Connection`, or what does the same otherwise."""

    def send_bytes(self, buf: bytes, /) -> None:
        """Send one.

        Raises:
            OSError: If the other side has gone.
        """

    def recv_bytes(self) -> bytes:
        """Wait for one.

        Raises:
            EOFError: At the end.
            OSError: If the other side has gone.
        """

    def poll(self, timeout: float, /) -> bool:
        """Whether one comes within so many seconds."""

    def close(self) -> None:
        """Hang up."""


class Link(Generic[In]):
    """One end of a channel: any thread may send, one receives messages of *kinds*."""

    def __init__(self, connection: Channel, kinds: object) -> None:
        self._connection = connection
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder: msgspec.msgpack.Decoder[In] = msgspec.msgpack.Decoder(kinds)
        self._sending = threading.Lock()

    def send(self, message: Message) -> None:
        """Send *message*.

        Raises:
            OSError: If the other side has gone.
        """
        data = self._encoder.encode(message)
        with self._sending:
            self._connection.send_bytes(data)

    def receive(self) -> Iterator[In]:
        """Wait for a message; it and those that have come meanwhile.

        Raises:
            EOFError: At the end.
            OSError: If the other side has gone.
        """
        yield self._decoder.decode(self._connection.recv_bytes())
        with suppress(EOFError, OSError):  # the next call raises it
            while self._connection.poll(0):
                yield self._decoder.decode(self._connection.recv_bytes())

    def close(self) -> None:
        """Hang up."""
        self._connection.close()
