"""Replies that were cut, from the server to the reports: told to the model, and counted wherever a run is shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai_server import Json, Server

PROGRAM = Path(sys.executable).with_name("intercode")


def ramble(request: Json) -> Json:
    """Talk for longer than the bound, until told to be shorter; then act, and go on as if the world had answered."""
    if "be shorter" not in request["messages"][-1]["content"]:
        return {"content": "Thought: " + "and then " * 2000}
    return {"content": "Thought: I look.\nAction:\n```bash\nls /\n```\nObservation: bin\nThought: " + "so " * 2000}


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server(ramble)
    yield served
    served.close()


def intercode(folder: Path, *words: str) -> str:
    """What the program says."""
    done = subprocess.run(
        [PROGRAM, *words], cwd=folder, env={**os.environ, "CI": "1"}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_reply_that_was_cut_is_told_to_the_model_and_counted_everywhere(server: Server, tmp_path: Path) -> None:
    words = ("--model", "m", "--base-url", server.url, "--tasks", "starter/bash/count-january", "--turns", "2")
    said = intercode(tmp_path, "run", *words, "--out", "run")
    assert "1 turn has a reply that was cut for want of tokens" in said
    assert [request["max_tokens"] for request in server.requests] == [1024, 1024]
    assert [request["stop"] for request in server.requests] == [["\nObservation:"]] * 2
    assert "[Your last reply was cut at 1024 tokens: be shorter.]" in server.requests[1]["messages"][-1]["content"]
    turns = json.loads((tmp_path / "run" / "episodes.jsonl").read_text())["turns"]
    assert [turn["action"]["kind"] for turn in turns] == ["nothing", "execute"]
    (report,) = json.loads(intercode(tmp_path, "report", "run", "--format", "json"))
    assert report["summary"]["counts"]["cut"] == report["summary"]["counts"]["no_code"] == 1
    assert "cut" in intercode(tmp_path, "report", "run", "--format", "markdown")
    odd = json.loads(intercode(tmp_path, "errors", "run", "--format", "json"))["oddities"]
    assert [(each["name"], each["count"], each["of"]) for each in odd] == [
        ("no code in the reply", 1, 2),
        ("reply cut", 1, 2),
    ]


def test_under_the_papers_parser_nothing_is_added_to_what_the_paper_sent(server: Server, tmp_path: Path) -> None:
    words = ("--model", "m", "--base-url", server.url, "--tasks", "starter/bash/count-january", "--turns", "2")
    intercode(tmp_path, "run", *words, "--parser", "paper", "--out", "run")
    assert not any("stop" in request or "be shorter" in str(request) for request in server.requests)


def test_successes_are_listed_and_an_episode_shows_finish_reasons_and_raw_replies(
    server: Server, tmp_path: Path
) -> None:
    words = ("--model", "m", "--base-url", server.url, "--tasks", "starter/bash/count-january", "--turns", "2")
    intercode(tmp_path, "run", *words, "--out", "run")
    assert json.loads(intercode(tmp_path, "show", "run", "--succeeded", "--json"))["episodes"] == []
    assert len(json.loads(intercode(tmp_path, "show", "run", "--failed", "--json"))["episodes"]) == 1
    shown = intercode(tmp_path, "show", "run", "1", "--raw", "--whole", "--no-pager")
    assert "finish reason length" in shown
    assert "[reply: length, 1024 tokens]" in shown
    assert shown.count("and then") > 500


def test_several_runs_are_pivoted_and_a_pivot_that_cannot_be_is_refused(server: Server, tmp_path: Path) -> None:
    words = ("--model", "m", "--base-url", server.url, "--tasks", "starter/bash/count-january", "--turns", "2")
    intercode(tmp_path, "run", *words, "--out", "a")
    intercode(tmp_path, "run", *words, "--agent", "tool-use", "--out", "b")
    said = intercode(tmp_path, "report", "a", "b", "--pivot", "agent,dataset", "--format", "markdown")
    assert "### success by agent and data set, exact" in said
    assert "| tool-use | 0.0% |" in said
    assert r"\toprule" in intercode(tmp_path, "report", "a", "b", "--format", "latex")
    done = subprocess.run(
        [PROGRAM, "report", "a", "--pivot", "agent,turns"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "--pivot takes two different ones of model, agent, dataset" in done.stderr
