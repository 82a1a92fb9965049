"""What a provider refuses is one outcome, however it says so, and is named and counted alike everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from model_run import model_job
from openai_server import Server

from intercode import models
from intercode.errors import ModelError, RefusalError
from intercode.models.core.defaults import ANSWER, REASONED
from intercode.report.report import report
from intercode.report.summary import summarize, with_errors_as_failures
from intercode.runs import store
from intercode.runs.budget import Budget
from intercode.runs.runner import Runner
from intercode.runs.store import RunStore, StoredRun
from intercode.types import Trajectory
from intercode.types.conversation import Message
from intercode.view.foreign import inspect as inspect_logs

ASK = [Message("user", "What is there?")]


def failure(status: int, **error: Any) -> str:
    return f"{status} {json.dumps({'error': error})}"


def answer(finish: str | None, content: str | None = None, *, choice: dict[str, Any] | None = None, **more: Any) -> str:
    message = {"role": "assistant", "content": content, **more}
    choices = [{"index": 0, "finish_reason": finish, "message": message, **(choice or {})}]
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return f"200 {json.dumps({'id': 'x', 'object': 'chat.completion', 'choices': choices, 'usage': usage})}"


AZURE = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": True}}}
REFUSED = {
    "OpenAI, 400": failure(400, message="Your request was rejected", code="content_policy_violation"),
    "OpenAI, flagged": failure(400, message="Invalid prompt: it was flagged as violating our usage policy"),
    "Azure": failure(400, message="The response was filtered", code="content_filter", innererror=AZURE),
    "Azure, inner": failure(400, message="The response was filtered", innererror=AZURE),
    "Anthropic": failure(400, message="Output blocked by content filtering policy", type="invalid_request_error"),
    "Alibaba": failure(400, message="Input data may contain it", code="data_inspection_failed"),
    "422": failure(422, message="blocked by safety settings"),
    "OpenRouter": failure(403, message="Your input was flagged", metadata={"reasons": ["violence"]}),
    "403": failure(403, message="blocked by safety settings", code="safety"),
    "403 alone": failure(403, message="Forbidden"),
    "451": failure(451, message="unavailable for legal reasons"),
    "content filter": answer("content_filter"),
    "content filter in the middle": answer("content_filter", "First, take"),
    "Anthropic's reason": answer("refusal"),
    "Google's reason": answer("SAFETY"),
    "Google's prompt": '200 {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}',
    "Bedrock's reason": answer("guardrail_intervened"),
    "Zhipu's reason": answer("sensitive"),
    "a field": answer("stop", refusal="I cannot help"),
    "a field beside the text": answer("stop", "", refusal="I cannot help"),
    "no choice": '200 {"error": {"message": "blocked by the moderation endpoint", "code": 403}}',
    "an error in the choice": answer("error", choice={"error": {"message": "content policy", "code": 403}}),
    "empty": answer("stop", ""),
    "blank": answer("stop", " \n"),
    "null": answer("stop"),
}
OUT_OF_TOKENS = answer("length", "")
NO_JSON = [{"id": "1", "type": "function", "function": {"name": "bash", "arguments": "{not json"}}]
ANSWERED = {
    "a broken call": answer("tool_calls", tool_calls=NO_JSON),
    "no finish reason": answer("", "ls"),
    "null as finish reason": answer(None, "ls"),
    "thoughts alone": answer("stop", "", reasoning_content="Let me see"),
    "cut": answer("length", "ls -"),
    "an empty refusal": answer("stop", "ls", refusal=""),
    "words about it": answer("stop", "I cannot help: it violates the content policy"),
}
FAILED = {
    "a parameter": failure(400, message="Unknown parameter: 'safety_identifier'", code="unknown_parameter"),
    "case": failure(400, message="names are case-sensitive"),
    "rights": failure(403, message="You do not have access to model m"),
    "country": failure(403, message="Country, region, or territory not supported", code="unsupported_country"),
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


@pytest.fixture
def serve() -> Iterator[Callable[[str], Server]]:
    servers: list[Server] = []

    def make(fault: str) -> Server:
        servers.append(Server(fault=lambda number: fault))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


def complete(server: Server) -> str:
    options = {"wait": "0.01", "tries": "2", "price_in": "10", "price_out": "20"}
    with models.load("m", base_url=server.url, options=options) as model:
        return model.complete(ASK).finish_reason


@pytest.mark.parametrize("how", REFUSED)
def test_a_refusal_is_one_however_it_is_said(serve: Callable[[str], Server], how: str) -> None:
    """And nobody asks again."""
    server = serve(REFUSED[how])
    with pytest.raises(RefusalError):
        complete(server)
    assert len(server.requests) == 1


def test_an_empty_answer_out_of_tokens_is_asked_for_with_more_and_then_is_one(serve: Callable[[str], Server]) -> None:
    """Reasoning that a provider hides takes tokens too."""
    server = serve(OUT_OF_TOKENS)
    with pytest.raises(RefusalError) as caught:
        complete(server)
    assert [request["max_tokens"] for request in server.requests] == [ANSWER, REASONED]
    assert caught.value.usage.completion_tokens == 6


@pytest.mark.parametrize("how", ANSWERED)
def test_an_answer_is_no_refusal(serve: Callable[[str], Server], how: str) -> None:
    complete(serve(ANSWERED[how]))


@pytest.mark.parametrize("how", FAILED)
def test_other_failures_are_no_refusals(serve: Callable[[str], Server], how: str) -> None:
    with pytest.raises(ModelError) as caught:
        complete(serve(FAILED[how]))
    assert not isinstance(caught.value, RefusalError)


def test_a_refused_answer_is_paid_for_like_others(serve: Callable[[str], Server], tmp_path: Path) -> None:
    budget = Budget()
    run = play(serve(answer("content_filter")), tmp_path / "run", 2, budget)
    assert [each.usage.tokens for each in run.episodes] == [10, 10]
    assert budget.used.cost == pytest.approx(2 * (7 * 1 + 3 * 2) / 1e6)


def play(server: Server, folder: Path, size: int, budget: Budget | None = None) -> StoredRun:
    job = model_job(server.url, size, budget=budget)
    with RunStore.create(folder, job.manifest) as opened:
        Runner(job, opened, 1).run()
    return store.read(folder)


@pytest.fixture
def refused(tmp_path: Path) -> Iterator[StoredRun]:
    """Six episodes: the first request is refused, the third fails, the others are answered."""
    faults = {0: failure(451, message="unavailable"), 2: failure(400, message="Unknown parameter")}
    server = Server(fault=lambda number: faults.get(number, ""))
    yield play(server, tmp_path / "run", 6)
    server.close()


def ended(run: StoredRun, status: str) -> list[Trajectory]:
    return [each for each in run.episodes if each.status == status]


def test_a_refused_episode_says_so_and_is_finished(refused: StoredRun) -> None:
    (episode,) = ended(refused, "refused")
    assert episode.error.startswith("RefusalError: http://127.0.0.1:")
    assert episode.error.endswith("answered 451: unavailable")
    assert (episode.scores, episode.is_complete, refused.missing) == (None, False, 1)


def test_refusals_are_counted_apart_from_errors_and_from_rates(refused: StoredRun) -> None:
    found = report(refused, "exact")
    assert (found.summary.episodes, found.summary.refused, found.summary.errors, found.summary.counted) == (6, 1, 1, 4)
    assert (found.to_json()["summary"]["refused"], found.kinds) == (1, {"ModelError": 1})
    as_failures = summarize(with_errors_as_failures(refused).episodes, "exact")
    assert (as_failures.refused, as_failures.errors, as_failures.counted) == (1, 1, 6)
    assert as_failures.successes == found.summary.successes
    assert as_failures.rewards["exact"] == pytest.approx((found.summary.rewards["exact"] or 0) * 4 / 6)


def command(*words: object) -> str:
    """What `intercode` prints; it takes as much room as it wants."""
    done = subprocess.run(
        [sys.executable, "-m", "intercode", *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_commands_name_and_count_them(refused: StoredRun) -> None:
    shown = command("show", refused.path)
    assert "1 was refused by the provider, counted nowhere else. The first: RefusalError: " in shown
    assert "1 ended in an error, counted nowhere else. The first: ModelError: " in shown
    assert len(json.loads(command("show", refused.path, "--status", "refused", "--json"))["episodes"]) == 1
    shown = command("show", refused.path, "--count-errors-as-failures")
    assert "1 was refused by the provider, counted as failures" in shown
    (plain,) = json.loads(command("report", refused.path, "--json"))
    (strict,) = json.loads(command("report", refused.path, "--json", "--count-errors-as-failures"))
    assert (plain["summary"]["counted"], strict["summary"]["counted"]) == (4, 6)
    assert strict["summary"]["rate"] < plain["summary"]["rate"]
    assert "refused" in command("report", refused.path)
    assert "errors and refusals counted as failures" in command("report", refused.path, "--count-errors-as-failures")


def test_exports_leave_them_out_or_name_them(refused: StoredRun, tmp_path: Path) -> None:
    (episode,) = ended(refused, "refused")
    command("export", refused.path, "--format", "openai", "--out", tmp_path / "a.jsonl")
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) >= 4
    command("export", refused.path, "--format", "atif", "--out", tmp_path / "atif")
    notes = [json.loads(path.read_text()).get("notes") for path in sorted((tmp_path / "atif").glob("*.json"))]
    assert [note for note in notes if note and note.startswith("refused by the model's provider: RefusalError")]
    pytest.importorskip("inspect_ai")
    command("export", refused.path, "--format", "inspect", "--out", tmp_path / "a.eval")
    again = {each.task.id: each for each in inspect_logs.read(tmp_path / "a.eval")}
    assert (again[episode.task.id].status, again[episode.task.id].scores) == ("refused", None)
