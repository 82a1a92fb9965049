"""What a worker orders, of short episodes some ahead, of long ones none but those that its threads are at; its end."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from intercode.runs.job import Job, prepare
from intercode.runs.player import Assignment
from intercode.runs.processes import messages, worker
from intercode.runs.processes.messages import ChannelEnd, PlayEpisode, WorkerMessage
from intercode.runs.processes.outbox import Outbox
from intercode.runs.processes.worker import RemoteSource, Start
from intercode.runs.settings import Settings
from intercode.types import Trajectory

LONG = 600.0
"""Seconds within which everything here is played."""


class Parent(ChannelEnd[messages.ToWorker]):
    """Answers questions for episodes in their order, as long as it has *left* of them; remembers what was asked."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.asked: list[int] = []
        self.finished: list[tuple[str, int]] = []
        self.source: RemoteSource
        self._answers = ThreadPoolExecutor(1)

    def send(self, messages_: Sequence[WorkerMessage]) -> None:
        for message in messages_:
            if isinstance(message, messages.EpisodeFinished):
                self.finished.append(message.record.key)
            if isinstance(message, messages.EpisodeRequest):
                self.asked.append(message.count)
                self._answers.submit(self._answer, message.count)

    def _answer(self, count: int) -> None:
        for _ in range(count):
            if not self.left:
                self.source.dispatch(messages.NoMoreEpisodes())
                return
            self.left -= 1
            self.source.dispatch(PlayEpisode("starter/bash/list-confs", self.left, 1))


class SilentParent(Parent):
    """Answers nothing."""

    def _answer(self, count: int) -> None:
        """So whoever has asked waits."""


@pytest.fixture(scope="module")
def job() -> Job:
    with prepare(Settings(tasks=("starter/bash/list-confs",))) as made:
        return made


def source_of(parent: Parent, job: Job, ahead: float) -> RemoteSource:
    parent.source = RemoteSource(Outbox(parent, delay=0.0), ahead)
    parent.source.know(job)
    return parent.source


def play(source: RemoteSource, count: int) -> list[int]:
    """Take and finish *count* episodes in no time; their repeats."""
    played = []
    for _ in range(count):
        taken = source.take()
        assert taken is not None
        source.finish(taken, trajectory(taken))
        played.append(taken.repeat)
    return played


def trajectory(played: Assignment) -> Trajectory:
    return Trajectory(played.task.view(), "oracle", "submitted", (), seed=played.seed, repeat=played.repeat)


def test_short_episodes_are_ordered_ahead_and_each_is_played_once(job: Job) -> None:
    parent = Parent(200)
    source = source_of(parent, job, ahead=LONG)
    played = play(source, 200)
    assert source.take() is None
    assert sorted(played) == list(range(200))
    assert max(parent.asked) > 1
    assert len(parent.asked) < 100
    assert [repeat for _, repeat in parent.finished] == played


def test_long_episodes_are_ordered_when_a_thread_is_free(job: Job) -> None:
    parent = Parent(20)
    play(source_of(parent, job, ahead=0.0), 10)
    assert parent.asked == [1] * 10
    assert parent.left == 10


def test_who_waits_for_an_episode_hears_that_the_run_is_stopped(job: Job) -> None:
    source = source_of(SilentParent(0), job, ahead=LONG)
    taken: list[Assignment | None] = []
    thread = threading.Thread(target=lambda: taken.append(source.take()))
    thread.start()
    source.dispatch(messages.Stop())
    thread.join(timeout=60)
    assert taken == [None]


def test_what_ends_while_all_are_being_stopped_is_not_told(job: Job) -> None:
    """A thread that fails stops the others, whose sandbox is closed under them: the parent would store their errors."""
    parent = Parent(2)
    source = source_of(parent, job, ahead=LONG)
    first, second = source.take(), source.take()
    assert first is not None
    assert second is not None
    source.finish(first, trajectory(first))
    source.stopped.set()
    source.finish(second, trajectory(second))
    assert parent.finished == [first.key]


class LateChannel:
    """The parent's end of a worker that has one episode: told that there are no more, again when it is all over."""

    def __init__(self) -> None:
        self._to_worker: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._say(PlayEpisode("starter/bash/list-confs", 0, 1), messages.NoMoreEpisodes())
        self.times_asked = 0
        self.listens_again: bool | None = None
        self._asked = threading.Condition()

    def _say(self, *said: WorkerMessage) -> None:
        self._to_worker.put(msgspec.msgpack.encode(said))

    def send_bytes(self, buf: bytes) -> None:
        """Called with the episode's end only once all threads are through: it has waited for the last flush."""
        found = msgspec.msgpack.decode(buf, type=list[messages.FromWorker])
        if any(isinstance(each, messages.EpisodeFinished) for each in found):
            with self._asked:
                self._say(messages.NoMoreEpisodes())
                self.listens_again = self._asked.wait_for(lambda: self.times_asked == 3, timeout=30)

    def recv_bytes(self) -> bytes:
        with self._asked:
            self.times_asked += 1
            self._asked.notify_all()
        return self._to_worker.get()

    def close(self) -> None:
        """Nobody asks."""


def test_what_comes_late_ends_no_worker_that_still_has_to_tell_its_last_episode(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[int] = []
    monkeypatch.setattr("os._exit", ends.append)
    channel = LateChannel()
    checksum = next(iter(job.manifest.data.values()))
    worker.serve(channel, Start(job.settings, 1, checksum, delay=LONG))
    assert channel.listens_again
    assert ends == []
