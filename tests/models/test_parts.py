"""What models share: prices, retries, names, scripted replies."""

from __future__ import annotations

import json
import time
from email.utils import formatdate
from pathlib import Path
from random import Random

import pytest

from intercode import models, registry
from intercode.errors import BadDataError, ModelError, UnknownNameError, UserError
from intercode.models.core import chat_protocol, keys
from intercode.models.core.prices import FREE, Price
from intercode.models.core.retries import Retries, TransientError, seconds_until
from intercode.models.core.sampling import Sampling
from intercode.types.conversation import Message, Reply, Usage


def test_cached_tokens_have_their_own_price() -> None:
    usage = Usage(1_000_000, 500_000, 400_000)
    assert Price(1.0, 4.0, 0.5).of(usage) == pytest.approx(0.6 + 0.2 + 2.0)
    assert Price(1.0, 4.0).of(usage) == pytest.approx(3.0)
    assert Price().of(usage) is None
    assert FREE.of(usage) == 0


def test_waits_double_with_some_chance_in_them_up_to_a_limit() -> None:
    retries = Retries(tries=20, wait=1.0, most=60.0)
    pauses = [retries.pause(tried, None, Random(1)) for tried in range(1, 12)]
    assert all(0.75 * 2**n <= pause <= 1.25 * 2**n for n, pause in enumerate(pauses[:5]))
    assert max(pauses) <= 75
    assert retries.pause(1, 7.5, Random(1)) == 7.5


def test_a_server_that_wants_hours_is_not_waited_for() -> None:
    slept: list[float] = []

    def fail() -> Reply:
        raise TransientError("later", 7200.0)

    with pytest.raises(ModelError, match=r"later \(asked 1 time\)"):
        Retries().answer(fail, seed=1, sleep=slept.append)
    assert slept == []


def test_equal_seeds_wait_equally() -> None:
    def waits(seed: int) -> list[float]:
        slept: list[float] = []

        def fail() -> Reply:
            raise TransientError("no")

        with pytest.raises(ModelError, match="asked 4 times"):
            Retries(tries=4).answer(fail, seed=seed, sleep=slept.append)
        return slept

    assert waits(1) == waits(1) != waits(2)


@pytest.mark.parametrize(("text", "seconds"), [(None, None), ("3", 3.0), ("0.5", 0.5), ("soon", None), ("-1", 0.0)])
def test_what_a_server_says_of_waiting_is_read(text: str | None, seconds: float | None) -> None:
    assert seconds_until(text) == seconds


def test_a_date_to_wait_for_is_read() -> None:
    assert seconds_until(formatdate(time.time() + 30, usegmt=True)) == pytest.approx(30, abs=2)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("gpt-4o-mini", ("openai", "gpt-4o-mini")),
        ("llama3:8b", ("openai", "llama3:8b")),
        ("openai:llama3:8b", ("openai", "llama3:8b")),
        ("litellm:anthropic/x", ("litellm", "anthropic/x")),
        ("scripted:a.json", ("scripted", "a.json")),
    ],
)
def test_what_stands_before_the_colon_is_a_plug_in_if_there_is_one(name: str, split: tuple[str, str]) -> None:
    assert models.split(name) == split


def test_scripted_replies_depend_on_the_conversation_alone(tmp_path: Path) -> None:
    file = tmp_path / "replies.json"
    call = {"tool": "look", "arguments": {"at": 1}}
    file.write_text(json.dumps({"replies": {"apples": ["one", call], "": ["other"]}}))
    model = models.load(f"scripted:{file}", options={"price_in": "1000000", "price_out": "0"})
    ask = (Message("user", "How many apples?"),)
    first, second = model.complete(ask), model.complete((*ask, Message("assistant", "one"), Message("user", "?")))
    assert (first.text, first.usage.cost) == ("one", 3.0)
    assert (second.tool_calls[0].name, second.tool_calls[0].arguments) == ("look", '{"at": 1}')
    assert model.complete((*ask, *[Message("assistant", "")] * 9)).tool_calls
    assert model.complete([Message("user", "pears")]).text == "other"


@pytest.mark.parametrize(
    "text", ["", "[]", '{"replies": {"a": []}}', '{"replies": {"a": [1]}}', '{"replies": {"a": "b"}}']
)
def test_replies_of_another_shape_are_bad_data(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(BadDataError, match=r"r\.json"):
        models.load(f"scripted:{tmp_path / 'r.json'}")


def test_a_server_is_not_for_all(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="leave --base-url out"):
        models.load("scripted:x", base_url="http://localhost/v1")
    with pytest.raises(UnknownNameError):
        registry.find("models", "doker")


@pytest.mark.parametrize("found", ["sk-0123456789", " sk-0123456789\r\n"])
def test_what_a_file_leaves_around_a_key_is_no_part_of_it(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", found)
    assert keys.find("SOME_KEY") == "sk-0123456789"


@pytest.mark.parametrize("found", ["sk-01234\n56789", "sk-0123456789é"])
def test_what_cannot_be_a_key_is_refused_without_showing_it(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An HTTP library would show it in its error, in a spelling that nothing hides."""
    monkeypatch.setenv("SOME_KEY", found)
    with pytest.raises(UserError, match="what is in SOME_KEY is not a key") as refused:
        models.load("m", base_url="http://127.0.0.1:9/v1", options={"key_env": "SOME_KEY"})
    assert "sk-01" not in str(refused.value)


def test_an_option_that_a_model_lacks_is_refused_with_those_that_it_has() -> None:
    with pytest.raises(
        UnknownNameError, match=r"has no option called 'temprature'; there are: .*price_in.* temperature, "
    ):
        models.load("m", base_url="http://127.0.0.1:9/v1", options={"temprature": "1"})


@pytest.mark.parametrize(
    ("given", "stops"),
    [
        (r"\n|END", ("\n", "END")),
        ("Ende: ü|终止|🛑", ("Ende: ü", "终止", "🛑")),
        (r"ü\n\t|\u7ec8", ("ü\n\t", "终")),
        (r"a\\n", (r"a\n",)),
        ("", ()),
    ],
)
def test_stops_are_texts_of_any_language_with_escapes(given: str, stops: tuple[str, ...]) -> None:
    assert Sampling.split_options({"stop": given})[0].stop == stops


@pytest.mark.parametrize("given", ["\\", r"\x", "\\ü", r"\N{no such name}"])
def test_a_backslash_that_begins_no_escape_is_named(given: str) -> None:
    with pytest.raises(UserError, match="the model option stop has a backslash"):
        Sampling.split_options({"stop": given})


VALUES = {"key_env": "SOME_KEY", "seed": "none", "device": "cpu"}


@pytest.mark.parametrize("name", ["openai", "scripted"])
def test_every_option_that_is_named_can_be_given(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-0123456789")
    (tmp_path / "r.json").write_text('{"replies": {"a": ["b"]}}')
    own = registry.find("models", name).own_options
    assert own
    options = {each: VALUES.get(each, "1") for each in (*Sampling.OPTIONS, *Price.OPTIONS, *own)}
    models.load(f"{name}:{tmp_path / 'r.json'}", options=options).close()


@pytest.mark.parametrize(
    "changes",
    [
        {"usage": {"prompt_tokens": 10**30}},
        {"usage": {"cost": 1e300}},
        {"more": json.loads("[" * 150 + "]" * 150)},
        {"prompt_token_ids": [2**70]},
    ],
    ids=["tokens", "cost", "depth", "ids"],
)
def test_an_answer_that_could_not_be_stored_and_read_again_is_none(changes: dict[str, object]) -> None:
    answer = {"choices": [{"message": {"content": "ls"}}]}
    assert chat_protocol.read(json.dumps(answer), logprobs=True).text == "ls"
    with pytest.raises(TransientError, match="the server's answer"):
        chat_protocol.read(json.dumps(answer | changes), logprobs=True)
