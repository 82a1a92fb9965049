"""What a worker says: in order, together where nobody waits, at once where somebody does or nothing was said lately."""

from __future__ import annotations

import time
from queue import SimpleQueue

import msgspec
import pytest

from intercode.runs.episode_record import EpisodeRecord
from intercode.runs.processes import messages
from intercode.runs.processes.messages import ChannelEnd, FromWorker, Notice
from intercode.runs.processes.outbox import Outbox

LONG = 600.0
"""Seconds of delay that no test waits for."""


class Wire:
    """A channel that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: SimpleQueue[bytes] = SimpleQueue()

    def send_bytes(self, buf: bytes, /) -> None:
        self.sent.put(buf)

    def recv_bytes(self) -> bytes:
        raise EOFError

    def close(self) -> None:
        """There is nothing to close."""

    def next(self) -> list[FromWorker]:
        """The messages that were sent as one."""
        return msgspec.msgpack.decode(self.sent.get(timeout=60), type=list[FromWorker])


@pytest.fixture
def wire() -> Wire:
    return Wire()


def outbox_of(wire: Wire, delay: float) -> Outbox:
    return Outbox(ChannelEnd(wire, messages.ToWorker), delay)


def test_a_message_after_a_silence_goes_at_once(wire: Wire) -> None:
    outbox_of(wire, LONG).put(Notice("a"))
    assert wire.next() == [Notice("a")]


def test_messages_for_which_nobody_waits_go_with_the_next_urgent_one_and_before_it(wire: Wire) -> None:
    outbox = outbox_of(wire, LONG)
    outbox.put(Notice("a"))
    for text in "bc":
        outbox.put(Notice(text))
    outbox.put(messages.BudgetRequest(3), urgent=True)
    assert wire.next() == [Notice("a")]
    assert wire.next() == [Notice("b"), Notice("c"), messages.BudgetRequest(3)]
    outbox.put(Notice("d"))
    assert wire.sent.empty()
    outbox.flush()
    assert wire.next() == [Notice("d")]


def test_messages_for_which_nobody_waits_are_late_by_no_more_than_the_delay(wire: Wire) -> None:
    outbox = outbox_of(wire, 2.0)
    started = time.monotonic()
    for text in "abc":
        outbox.put(Notice(text))
    found = [each for _ in range(2) for each in wire.next()]
    assert found == [Notice("a"), Notice("b"), Notice("c")]
    assert time.monotonic() - started >= 2.0


def test_nothing_is_sent_where_there_is_nothing_to_say(wire: Wire) -> None:
    outbox_of(wire, LONG).flush()
    assert wire.sent.empty()


def test_news_of_an_episode_is_left_out_where_its_end_goes_along(wire: Wire) -> None:
    """Nobody could see it, and the parent of many workers would do little else than read it."""
    outbox = outbox_of(wire, LONG)
    outbox.put(Notice("a"))
    over = messages.EpisodeFinished(EpisodeRecord("t", 0, b"{}\n", (), ""))
    begun, asked, chosen = messages.EpisodeStarted, messages.TurnStarted, messages.ActionChosen
    running = [begun("t", 1), asked("t", 1, 0), chosen("t", 1, "skip", "")]
    for message in (begun("t", 0), running[0], asked("t", 0, 0), *running[1:], over):
        outbox.put(message)
    outbox.flush()
    assert wire.next() == [Notice("a")]
    assert wire.next() == [*running, over]
