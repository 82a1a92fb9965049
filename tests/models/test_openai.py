"""The OpenAI protocol, with a real server on loopback that fails in every way."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from openai_server import FAULTS, Json, Server

from intercode import models
from intercode.errors import AnswerTooLateError, ContextOverflowError, ModelError, ModelRefusedError, UserError
from intercode.models.base import Model
from intercode.models.core.deadline import answer_within
from intercode.models.core.defaults import ANSWER, REASONED
from intercode.models.openai import OpenaiModel
from intercode.types.conversation import Message, Tool, ToolCall
from intercode_sandbox.testing.patience import patience

ASK = (Message("system", "You help."), Message("user", "What is there?"))
KEY = "sk-very-secret-0123456789"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def make(*faults: str, answer: Callable[[Json], Json] = lambda request: {"content": "a b c"}) -> Server:
        servers.append(Server(answer, lambda number: faults[number] if number < len(faults) else "", slow=60))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


def model(server: Server, *, logprobs: bool = False, **options: str) -> Model:
    return models.load(
        "some-model", base_url=server.url, logprobs=logprobs, options={"wait": "0.01", "timeout": "60", **options}
    )


def test_an_answer_comes_with_all_that_there_is_to_know(serve: Callable[..., Server], key: None) -> None:
    server = serve()
    with model(server, temperature="0.5", max_tokens="9", stop="\\n|END", price_in="10", price_out="20") as client:
        reply = client.complete(ASK, seed=7)
    assert (reply.text, reply.finish_reason, reply.model, reply.tries) == ("a b c", "stop", "some-model-served", 1)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cached_tokens) == (5, 3, 2)
    assert reply.usage.cost == pytest.approx((5 * 10 + 3 * 20) / 1e6)
    assert 0 < reply.seconds < 60
    assert reply.raw["id"] == "chatcmpl-1"
    sent = server.requests[0]
    assert sent["messages"] == [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "What is there?"},
    ]
    assert (sent["temperature"], sent["max_tokens"], sent["stop"], sent["seed"]) == (0.5, 9, ["\n", "END"], 7)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_many_threads_ask_at_once_each_over_a_connection_that_is_kept(serve: Callable[..., Server], key: None) -> None:
    together = threading.Barrier(4, timeout=60)

    def answer(request: Json) -> Json:
        together.wait()
        return {"content": request["messages"][-1]["content"]}

    server = serve(answer=answer)
    with model(server, timeout="30") as client, ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            words = [f"{number}" for number in range(4)]
            replies = pool.map(lambda word: client.complete([Message("user", word)]).text, words)
            assert list(replies) == words
    assert 4 <= server.connections < 12  # the four are used again, unless the machine slept for seconds


def seconds_for(fault: str) -> str:
    """Where nothing but time tells a fault the model has little of it, elsewhere more than a busy machine takes."""
    return "4" if fault == "slow" else "60"


@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_in_passing_is_asked_again(serve: Callable[..., Server], key: None, fault: str) -> None:
    server = serve(fault)
    with model(server, timeout=seconds_for(fault)) as client:
        reply = client.complete(ASK)
    assert (reply.text, reply.tries, len(server.requests)) == ("a b c", 2, 2)


@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_for_ever_is_the_machines_failure_and_says_what_it_was(
    serve: Callable[..., Server], key: None, fault: str
) -> None:
    server = serve(*[fault] * 5)
    client = model(server, tries="3", timeout=seconds_for(fault))
    with client, pytest.raises(ModelError, match=r"\(asked 3 times\)$"):
        client.complete(ASK)
    assert len(server.requests) == 3


@pytest.mark.parametrize("fault", ["slow", "drip"])
def test_a_try_has_its_time_in_all_however_the_server_keeps_the_connection(
    serve: Callable[..., Server], key: None, fault: str
) -> None:
    server, started = serve(fault), time.monotonic()
    with model(server, timeout="4") as client:
        reply = client.complete(ASK)
    assert (reply.text, reply.tries) == ("a b c", 2)
    assert time.monotonic() - started < patience(20)


@pytest.mark.parametrize("fault", ["slow", "drip", "429"])
def test_no_question_waits_longer_than_its_deadline(serve: Callable[..., Server], key: None, fault: str) -> None:
    server, started = serve(*[fault] * 9), time.monotonic()
    with (
        model(server, wait="60") as client,
        answer_within(1),
        pytest.raises(AnswerTooLateError, match="had not answered"),
    ):
        client.complete(ASK)
    assert 1 <= time.monotonic() - started < patience(10)


def test_no_question_waits_for_room_beyond_its_deadline(serve: Callable[..., Server], key: None) -> None:
    with model(serve(), requests_per_minute="1") as client:
        client.complete(ASK)
        with answer_within(1), pytest.raises(AnswerTooLateError):
            client.complete(ASK)


def test_the_server_says_how_long_to_wait(serve: Callable[..., Server], key: None) -> None:
    with model(serve("429 later"), wait="30") as client:
        started = time.monotonic()
        assert client.complete(ASK).tries == 2
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("status", "says"),
    [
        ("401", r"[^.]\. Is there a valid key in OPENAI_API_KEY\?$"),
        ("404", "--model some-model"),
        ("402", "nothing left"),
    ],
)
def test_what_no_question_will_change_stops_everything(
    serve: Callable[..., Server], key: None, status: str, says: str
) -> None:
    server = serve(status)
    with model(server) as client, pytest.raises(ModelRefusedError, match=says):
        client.complete(ASK)
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_told_before_a_run(
    serve: Callable[..., Server], key: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with model(serve()) as client:
        client.check_reachable()
    with socket.socket() as taken:  # so that nobody else listens there meanwhile
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        refused = pytest.raises(UserError, match=f"no server answers at {url}: Conn")
        with OpenaiModel("m", base_url=url) as client, refused:
            client.check_reachable()


def test_behind_a_proxy_nobody_else_is_tried(monkeypatch: pytest.MonkeyPatch, key: None) -> None:
    monkeypatch.setenv("no_proxy", "localhost")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with OpenaiModel("m", base_url="http://no.invalid/v1") as client:
        client.check_reachable()


def test_a_question_that_is_refused_fails_alone(serve: Callable[..., Server], key: None) -> None:
    with model(serve("403")) as client, pytest.raises(ModelError, match="403: said the server"):
        client.complete(ASK)


@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"message": "too long", "code": "context_length_exceeded"}}',
        '{"error": {"message": "This model\'s maximum context length is 8 tokens."}}',
        '{"error": {"message": "the request exceeds the available context size", "type": "exceed_context_size_error"}}',
    ],
)
def test_a_conversation_that_is_too_long_is_told_apart(serve: Callable[..., Server], key: None, body: str) -> None:
    with model(serve(body, body)) as client, pytest.raises(ContextOverflowError):
        client.complete(ASK)


def test_a_key_is_never_shown_even_if_the_server_says_it(serve: Callable[..., Server], key: None) -> None:
    server = serve(json.dumps({"error": {"message": f"bad key {KEY}"}}), answer=lambda request: {"content": KEY})
    with model(server) as client:
        with pytest.raises(ModelError) as failed:
            client.complete(ASK)
        reply = client.complete(ASK)
    assert KEY not in f"{failed.value!r} {failed.value.__cause__!r}"
    assert KEY not in f"{reply.text} {reply.raw}"


def test_not_even_the_beginning_of_a_key_is_shown_where_a_message_is_cut(
    serve: Callable[..., Server], key: None
) -> None:
    server = serve(json.dumps({"error": {"message": "x" * 290 + KEY}}))
    with models.load("m", base_url=server.url) as model, pytest.raises(ModelError) as caught:
        model.complete(ASK)
    assert KEY[:6] not in str(caught.value)


IN_JSON = {
    "body.provider": f'{{"api_key": "{KEY}"}}',
    "body.extra_headers": f'{{"a": [1, {{"Authorization" : "Bearer {KEY}"}}]}}',
}
NAMES = ("api_key", "key", "openai_api_key", "body.api_key", "body.x.API-KEY", "body.token", "body.client_secret")


@pytest.mark.parametrize(
    "option", [{name: KEY} for name in NAMES] + [{name: IN_JSON[name]} for name in IN_JSON], ids=str
)
def test_a_key_is_refused_as_an_option_since_options_are_written_down(option: dict[str, str]) -> None:
    with pytest.raises(UserError, match="OPENAI_API_KEY") as refused:
        models.load("m", base_url="http://127.0.0.1:1/v1", options=option)
    assert KEY not in str(refused.value)


@pytest.mark.parametrize("key", ["sk-proj-a1b2c3d4e5f6g7h8", "gsk_a1B2c3D4e5F6g7H8"])
def test_a_key_is_refused_in_place_of_its_variables_name(key: str) -> None:
    with pytest.raises(UserError, match="key_env=MY_KEY") as refused:
        models.load("m", base_url="http://127.0.0.1:1/v1", options={"key_env": key})
    assert key not in str(refused.value)


def test_options_that_only_look_like_keys_are_taken() -> None:
    schema = {"type": "object", "properties": {"key": {"type": "string"}, "password": {"type": "string"}}}
    options = {"body.prompt_cache_key": "mine", "max_tokens": "9", "body.metadata": '{"key": "first try"}'}
    options["body.response_format"] = json.dumps({"type": "json_schema", "json_schema": {"schema": schema}})
    models.load("m", base_url="http://127.0.0.1:1/v1", options=options).close()


def test_without_a_key_openais_own_server_is_not_even_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UserError, match="export OPENAI_API_KEY="):
        models.load("gpt-4o-mini")


SECRETIVE = ["http://me:secret@host/v1", "http://host/v1?key=secret", "http://me:secret@host:80a/v1?key=secret"]
ASTRAY = ["localhost:8000", "ftp://x", "http://[::1/v1", "http://localhost:80a/v1", "http://h:0/v1", "http://h:65536"]


@pytest.mark.parametrize("url", [*SECRETIVE, *ASTRAY])
def test_urls_that_hold_secrets_or_lead_nowhere_are_refused(url: str) -> None:
    with pytest.raises(UserError, match="--base-url") as refused:
        models.load("m", base_url=url)
    assert "secret" not in str(refused.value)


def test_tools_are_offered_and_called(serve: Callable[..., Server], key: None) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": '}}
    server = serve(answer=lambda request: {"content": None, "tool_calls": [call]})
    with model(server) as client:
        reply = client.complete(ASK, tools=[Tool("look", "Looks.", {"type": "object", "properties": {}})])
        client.complete([*ASK, Message("assistant", "", reply.tool_calls), Message("tool", "seen", tool_call_id="c1")])
    assert reply.tool_calls == (ToolCall("c1", "look", '{"at": '),)
    assert (reply.text, reply.finish_reason) == ("", "tool_calls")
    assert server.requests[0]["tools"][0]["function"]["name"] == "look"
    _, _, assistant, tool = server.requests[1]["messages"]
    assert assistant["tool_calls"][0]["function"]["arguments"] == "{}"  # broken JSON is not sent back
    assert tool == {"role": "tool", "content": "seen", "tool_call_id": "c1"}


def test_with_logprobs_the_tokens_are_kept_once(serve: Callable[..., Server], key: None) -> None:
    with model(serve(), logprobs=True) as client:
        reply = client.complete(ASK)
    assert reply.tokens is not None
    assert reply.tokens.texts == ("a ", "b ", "c")
    assert (reply.tokens.ids, reply.tokens.logprobs) == ((0, 1, 2), (-0.5, -1.5, -2.5))
    assert reply.tokens.prompt_ids == (1, 2, 3)
    assert "logprobs" not in json.dumps(reply.raw)


def test_text_that_is_no_text_is_sent_all_the_same(serve: Callable[..., Server], key: None) -> None:
    with model(serve()) as client:
        assert client.complete([Message("user", "\ud800\x00 \ufffd")]).text == "a b c"


def test_sixty_four_questions_are_under_way_at_once(serve: Callable[..., Server], key: None) -> None:
    together = threading.Barrier(64, timeout=60)

    def answer(request: Json) -> Json:
        together.wait()
        return {"content": "all are here"}

    server = serve(answer=answer)
    with model(server) as client:
        threads = [threading.Thread(target=client.complete, args=(ASK,)) for _ in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert server.most_at_once == 64


@pytest.mark.parametrize(
    "option",
    ["temperature=hot", "max_tokens=0", "tries=0", "no_such_option=1", "price_in=1", "timeout=0", "seed=7"],
)
def test_options_that_cannot_be_are_named(option: str) -> None:
    name, _, value = option.partition("=")
    with pytest.raises(UserError, match=name):
        models.load("m", base_url="http://127.0.0.1:1/v1", options={name: value})


def test_an_answer_has_a_bound_where_nobody_names_one(serve: Callable[..., Server], key: None) -> None:
    server = serve(answer=lambda request: {"content": "word " * 5000})
    with model(server) as client:
        reply = client.complete(ASK)
    assert server.requests[0]["max_tokens"] == ANSWER == 1024
    assert reply.is_cut
    assert reply.usage.completion_tokens == ANSWER


@pytest.mark.parametrize("name", ["o3-mini", "openai/gpt-oss-20b", "deepseek-r1:7b", "Qwen/Qwen3-8B", "gemini-2.5-pro"])
def test_a_model_that_reasons_has_a_bound_of_its_own(serve: Callable[..., Server], key: None, name: str) -> None:
    server = serve()
    with models.load(name, base_url=server.url) as client:
        client.complete(ASK)
    assert server.requests[0]["max_tokens"] == REASONED


@pytest.mark.parametrize("name", ["gpt-4o-mini", "Qwen3-Coder-30B", "llama3.1-8b", "qwen3-4b-instruct-2507", "phi-4"])
def test_a_model_that_answers_at_once_has_the_usual_one(serve: Callable[..., Server], key: None, name: str) -> None:
    server = serve()
    with models.load(name, base_url=server.url) as client:
        client.complete(ASK)
    assert server.requests[0]["max_tokens"] == ANSWER


@pytest.mark.parametrize(
    "cut",
    [
        {"content": "", "finish_reason": "length"},
        {"content": "", "reasoning_content": "Let me", "finish_reason": "length"},
        {"content": "<think>Let me see", "finish_reason": "MAX_TOKENS"},
    ],
)
def test_an_answer_that_is_cut_while_the_model_reasons_is_asked_for_again(
    serve: Callable[..., Server], key: None, cut: Json
) -> None:
    server = serve(answer=lambda request: cut if request["max_tokens"] == ANSWER else {"content": "a b c"})
    with model(server) as client:
        replies = [client.complete(ASK), client.complete(ASK)]
    assert [reply.text for reply in replies] == ["a b c"] * 2
    assert [request["max_tokens"] for request in server.requests] == [ANSWER, REASONED, REASONED]
    assert replies[0].usage.prompt_tokens == 2 * replies[1].usage.prompt_tokens


def test_reasoning_that_is_cut_within_the_users_own_bound_stands(serve: Callable[..., Server], key: None) -> None:
    server = serve(answer=lambda request: {"content": "<think>Let", "finish_reason": "length"})
    with model(server, max_tokens="9") as client:
        assert client.complete(ASK).is_cut
    assert len(server.requests) == 1


TOO_LARGE = '{"error": {"message": "max_tokens is too large: 1024. This model supports at most 512."}}'
NO_ROOM = '{"error": {"message": "This model\'s maximum context length is 1100 tokens: 100 and 1024 are too many"}}'
NO_STOP = '{"error": {"message": "Unsupported parameter: \'stop\' is not supported with this model."}}'


@pytest.mark.parametrize(("says", "later"), [(TOO_LARGE, None), (NO_ROOM, ANSWER)])
def test_a_bound_that_a_server_does_not_take_is_left_out(
    serve: Callable[..., Server], key: None, says: str, later: int | None
) -> None:
    server = serve(says)
    with model(server) as client:
        assert client.complete(ASK).text == client.complete(ASK).text == "a b c"
    assert [request.get("max_tokens") for request in server.requests] == [ANSWER, None, later]


def test_a_bound_that_the_user_names_is_never_left_out(serve: Callable[..., Server], key: None) -> None:
    server = serve(TOO_LARGE)
    with model(server, max_tokens="1024") as client, pytest.raises(ModelError, match="too large"):
        client.complete(ASK)
    named = {"body.max_completion_tokens": "7"}
    with models.load("some-model", base_url=server.url, options=named) as client:
        client.complete(ASK)
    assert "max_tokens" not in server.requests[-1]


def test_texts_that_end_an_answer_are_sent_where_a_server_takes_them(serve: Callable[..., Server], key: None) -> None:
    server = serve("", NO_STOP, answer=lambda request: {"content": "Action: ls\nObservation: a"})
    with model(server) as client:
        client.defaults.stop = ("\nObservation:",)
        assert client.complete(ASK).text == "Action: ls"
        assert client.complete(ASK).text.endswith("Observation: a")
    assert [request.get("stop") for request in server.requests] == [["\nObservation:"], ["\nObservation:"], None]
