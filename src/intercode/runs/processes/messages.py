"""What a run's process and its worker processes say to each other, over a channel that nobody else has.

Several messages travel as one, since each costs both sides a system call and a change of threads. What workers say is
data only, never a pickle: they stand nearer to hostile code.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from intercode.runs.episode_record import EpisodeRecord
from intercode.types import ActionKind
from intercode.types.conversation import Usage


class WorkerMessage(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """A message."""


class PlayEpisode(WorkerMessage, frozen=True):
    """To a worker: an episode for whichever of its threads is free first."""

    task: str
    repeat: int
    seed: int


class NoMoreEpisodes(WorkerMessage, frozen=True):
    """To a worker: there is nothing more to play but what it has."""


class BudgetAnswer(WorkerMessage, frozen=True):
    """To a worker's *thread*: whether a model may be asked; *spent* says why not, "" where it may."""

    thread: int
    spent: str


class Stop(WorkerMessage, frozen=True):
    """To a worker: give up what is under way, and end."""


class EpisodeRequest(WorkerMessage, frozen=True):
    """From a worker: it can do with so many more."""

    count: int


class EpisodeFinished(WorkerMessage, frozen=True):
    """From a worker: an episode is over."""

    record: EpisodeRecord


class EpisodeNews(WorkerMessage, frozen=True):
    """From a worker: how far an episode is. It means nothing once the episode is over."""

    task: str
    repeat: int


class EpisodeStarted(EpisodeNews, frozen=True):
    """From a worker: an episode is being reset."""


class TurnStarted(EpisodeNews, frozen=True):
    """From a worker: an episode's agent is asked for the action of that turn."""

    turn: int


class ActionChosen(EpisodeNews, frozen=True):
    """From a worker: an episode's agent has decided for an action, of which *text* is the beginning."""

    kind: ActionKind
    text: str


class BudgetRequest(WorkerMessage, frozen=True):
    """From a worker's *thread*: may a model be asked?"""

    thread: int


class UsageReport(WorkerMessage, frozen=True):
    """From a worker: what an answer took."""

    usage: Usage


class Notice(WorkerMessage, frozen=True):
    """From a worker: a line for people."""

    text: str


class WorkerFailure(WorkerMessage, frozen=True):
    """From a worker: an exception of this class ended it; *text* is its message, or of a bug its traceback."""

    kind: str
    text: str


ToWorker = PlayEpisode | NoMoreEpisodes | BudgetAnswer | Stop
_News = EpisodeStarted | TurnStarted | ActionChosen | UsageReport | Notice
FromWorker = EpisodeRequest | EpisodeFinished | BudgetRequest | WorkerFailure | _News

In = TypeVar("In")


class MessageChannel(Protocol):
    """What carries bytes: a `multiprocessing.connection.Connection`, or what does the same otherwise."""

    def send_bytes(self, buf: bytes, /) -> None:
        """Send some.

        Raises:
            OSError: If the other side has gone.
        """

    def recv_bytes(self) -> bytes:
        """Wait for what was sent at once.

        Raises:
            EOFError: At the end.
            OSError: If the other side has gone.
        """

    def close(self) -> None:
        """Hang up."""


class ChannelEnd(Generic[In]):
    """One end of a channel: any thread may send, one receives messages of that *kind*."""

    def __init__(self, connection: MessageChannel, kind: object) -> None:
        self._connection = connection
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder: msgspec.msgpack.Decoder[list[In]] = msgspec.msgpack.Decoder(list[kind])  # type: ignore[valid-type]
        self._sending = threading.Lock()

    def send(self, messages: Sequence[WorkerMessage]) -> None:
        """Send *messages*, as one.

        Raises:
            OSError: If the other side has gone.
        """
        data = self._encoder.encode(messages)
        with self._sending:
            self._connection.send_bytes(data)

    def receive(self) -> list[In]:
        """Wait for messages: those that were sent as one.

        Raises:
            EOFError: At the end.
            OSError: If the other side has gone.
        """
        return self._decoder.decode(self._connection.recv_bytes())

    def close(self) -> None:
        """Hang up."""
        self._connection.close()
