"""Replies that are kept: asked once, whoever asks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from intercode.errors import MachineError
from intercode.runs.reply_cache import ReplyCache
from intercode.types.conversation import Message, Reply, Tool, Usage

ASK = (Message("user", "How many?"),)


class CountingModel:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        self.asked += 1
        return Reply(f"{messages[-1].text} {seed} \ud800", usage=Usage(10, 5, 2, 0.25, 3), raw={"n": [1]})


def test_a_question_is_asked_once_and_its_answer_is_free_the_second_time(tmp_path: Path) -> None:
    model = CountingModel()
    first = ReplyCache(model, tmp_path / "replies", "m", {}).complete(ASK, seed=1)
    again = ReplyCache(model, tmp_path / "replies", "m", {"tries": "3"}).complete(ASK, seed=1)
    assert model.asked == 1
    assert (again.text, again.raw) == (first.text, first.raw)
    assert (first.tries, first.usage) == (1, Usage(10, 5, 2, 0.25, 3))
    assert (again.tries, again.usage) == (0, Usage(10, 5, 2, 0.0, 3, from_cache=15))


def test_whatever_an_answer_depends_on_makes_another_question(tmp_path: Path) -> None:
    model, path = CountingModel(), tmp_path / "replies"
    plain = ReplyCache(model, path, "m", {})
    plain.complete(ASK, seed=1)
    plain.complete(ASK, seed=2)
    plain.complete((Message("system", "How many?"),), seed=1)
    plain.complete(ASK, seed=1, tools=(Tool("look", "", {}),))
    ReplyCache(model, path, "n", {}).complete(ASK, seed=1)
    ReplyCache(model, path, "m", {"temperature": "1"}).complete(ASK, seed=1)
    assert model.asked == 6


def test_the_file_is_its_owners_and_holds_no_question_in_plain_words(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replies"
    ReplyCache(CountingModel(), path, "m", {}).complete(ASK)
    assert path.stat().st_mode & 0o777 == 0o600


def test_many_threads_and_processes_use_one_file(tmp_path: Path) -> None:
    path = tmp_path / "replies"
    other = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from pathlib import Path\n"
        "from test_reply_cache import CountingModel, ReplyCache, Message\n"
        f"cache = ReplyCache(CountingModel(), Path({str(path)!r}), 'm', {{}})\n"
        "for n in range(50): cache.complete((Message('user', str(n)),))\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", other]) for _ in range(2)]
    cache = ReplyCache(CountingModel(), path, "m", {})
    with ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(lambda n: cache.complete((Message("user", str(n % 50)),)), range(400)))
    assert [reply.text for reply in replies] == [f"{n % 50} None \ud800" for n in range(400)]
    assert [process.wait(60) for process in processes] == [0, 0]
    model = CountingModel()
    late = ReplyCache(model, path, "m", {})
    assert all(late.complete((Message("user", str(n)),)).tries == 0 for n in range(50))
    assert model.asked == 0


def test_a_file_that_cannot_be_used_is_the_machines_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("this is no database, and it is long enough to be taken for one" * 20)
    with pytest.raises(MachineError, match="cannot use the replies in"):
        ReplyCache(CountingModel(), tmp_path / "file", "m", {})
    with pytest.raises(MachineError, match="cannot keep replies in"):
        ReplyCache(CountingModel(), tmp_path / "file" / "below", "m", {})
