"""Of what a worker says, some may wait a little: that on which nothing waits."""

from __future__ import annotations

import msgspec
import pytest

from intercode.conversation import Usage
from intercode.runs.processes import messages


@pytest.mark.parametrize(
    ("message", "is_news"),
    [
        (messages.EpisodeStarted("toy/a", 0), True),
        (messages.TurnStarted("toy/a", 0, 1), True),
        (messages.ActionChosen("toy/a", 0, "execute", "ls"), True),
        (messages.UsageReport(Usage(1, 2)), True),
        (messages.Notice("a line"), True),
        (messages.EpisodeRequest(0, None), False),
        (messages.BudgetRequest(0), False),
        (messages.WorkerFailure("UserError", "no"), False),
    ],
)
def test_only_what_nothing_waits_for_is_news(message: messages.Message, is_news: bool) -> None:
    assert messages.is_news(msgspec.msgpack.encode(message)) == is_news
