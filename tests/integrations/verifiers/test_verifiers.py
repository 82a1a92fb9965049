"""verifiers' own commands find our taskset, validate it, and play it against a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import Messages, Model, served

from intercode import datasets

BIN = Path(sys.executable).parent
UV = Path(__file__).parents[3] / ".venv/bin"
"""verifiers prepares the null harness with uv."""

SUBMIT = "Thought: it is done.\nAction: submit"
TASKS = 2
"""Of each run: every reply of the null harness is a process of its own, which takes seconds."""


BROKEN = """
from intercode.errors import SandboxError
from intercode_sandbox.scripted import ScriptedSandbox


class BrokenSandbox(ScriptedSandbox):
    def __init__(self) -> None:
        super().__init__(fails=dict.fromkeys(range(9), SandboxError("the disk is on fire")))
"""


def command(name: str, *arguments: str | Path) -> None:
    environment = os.environ | {"PATH": f"{UV}{os.pathsep}{os.environ['PATH']}", "FAKE_KEY": "none"}
    shown = subprocess.run(
        [BIN / name, "intercode-verifiers", "--no-rich", *arguments], env=environment, capture_output=True, text=True
    )
    assert shown.returncode == 0, shown.stdout[-3000:] + shown.stderr[-3000:]


def evaluate(model: Model, dataset: str, folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """The traces of a run of `vf-eval`, which plays in processes of this machine unless told otherwise."""
    with served(model) as url:
        client = ("-m", "fake", "--client.base-url", url, "--client.api-key-var", "FAKE_KEY")
        place = ("-o", folder, "--run.dir", "run", "--no-push")
        command("vf-eval", "--env.taskset.dataset", dataset, "-n", str(TASKS), *client, *place, *arguments)
    return list(read_traces(folder / "run"))


def read_traces(run: Path) -> Iterator[dict[str, Any]]:
    for line in (run / "traces.jsonl").read_text().splitlines():
        found = json.loads(line)
        yield from found.get("traces", [found])


def submit_only(messages: Messages) -> str:
    return SUBMIT


def all_gold(dataset: str) -> Model:
    golds = {task.query.strip(): task.gold for task in datasets.load(dataset)}

    def model(messages: Messages) -> str:
        if messages[-1]["content"].startswith("Observation: "):
            return SUBMIT
        return (
            f"Thought: so it is.\nAction:\n```\n{golds[messages[-1]['content'].removeprefix('Request: ').strip()]}\n```"
        )

    return model


@pytest.mark.parametrize("dataset", ["starter", "starter-sql"])
def test_golds_earn_one_everywhere(dataset: str, tmp_path: Path) -> None:
    traces = evaluate(all_gold(dataset), dataset, tmp_path)
    assert [trace["rewards"]["intercode"]["score"] for trace in traces] == [1.0] * TASKS
    assert all(trace["metrics"]["exact"] == trace["metrics"]["paper"] == 1 for trace in traces)
    assert {trace["info"]["status"] for trace in traces} == {"submitted"}
    expected = {task.id for task in list(datasets.load(dataset))[:TASKS]}
    assert {trace["task"]["key"] for trace in traces} == expected


def test_submitting_at_once_earns_nothing_and_no_trace_holds_a_gold(tmp_path: Path) -> None:
    traces = evaluate(submit_only, "starter", tmp_path)
    assert [trace["rewards"]["intercode"]["score"] for trace in traces] == [0.0] * TASKS
    written = (tmp_path / "run" / "traces.jsonl").read_text()
    golds = [json.dumps(task.gold)[1:-1] for task in list(datasets.load("starter"))[:TASKS]]
    assert not [gold for gold in golds if gold in written]


def test_an_episode_is_truncated_after_its_turns_and_judged_as_it_stands(tmp_path: Path) -> None:
    traces = evaluate(all_gold("starter"), "starter", tmp_path, "--env.taskset.task.turns", "1")
    assert {trace["info"]["status"] for trace in traces} == {"truncated"}
    assert all(trace["rewards"]["intercode"]["score"] == 1.0 for trace in traces)


def test_where_the_players_own_limit_ends_an_episode_it_is_judged_as_it_stands(tmp_path: Path) -> None:
    traces = evaluate(all_gold("starter"), "starter", tmp_path, "--env.player.max-turns", "1")
    assert {trace["info"]["status"] for trace in traces} == {"submitted"}
    assert all(trace["rewards"]["intercode"]["score"] == 1.0 for trace in traces)


def test_a_failure_of_the_machine_is_an_error_and_no_reward_of_zero(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    traces = evaluate(
        all_gold("starter"), "starter", tmp_path / "out", "--env.taskset.task.sandbox", str(tmp_path / "broken.py")
    )
    assert [trace["ok"] for trace in traces] == [False] * TASKS
    assert not [trace for trace in traces if trace["rewards"]]
    assert all("the disk is on fire" in json.dumps(trace["errors"]) for trace in traces)


def test_a_failure_of_the_model_is_an_error_and_no_judgement(tmp_path: Path) -> None:
    gold = all_gold("starter")

    def model(messages: Messages) -> str:
        if messages[-1]["content"].startswith("Observation: "):
            raise ConnectionError("the model's server has gone")
        return gold(messages)

    traces = evaluate(model, "starter", tmp_path)
    assert [(trace["ok"], trace["rewards"], trace["metrics"]) for trace in traces] == [(False, {}, {})] * TASKS
    assert not any("judgement" in trace["info"] for trace in traces)


@pytest.mark.parametrize("dataset", ["starter-sql", "starter-ctf"])
def test_golds_are_valid_and_untouched_worlds_are_not(dataset: str, tmp_path: Path) -> None:
    place = ("-o", tmp_path, "--run.dir", "run", "--runtime.type", "subprocess")
    command("vf-validate", "--taskset.dataset", dataset, "-n", "6", *place)
    found = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert found["valid_rate"] == 1.0, found["outcomes"]
    assert found["total"] == found["outcomes"]["valid"] == 6


PLAYER = ("--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess")


def test_what_another_environment_plays_has_no_reward(tmp_path: Path) -> None:
    """It shows a model's reply to nobody, so that the world is as it was: no judgement of the reply."""
    traces = evaluate(submit_only, "starter", tmp_path, "--env.id", "single_agent", *PLAYER)
    assert [trace["ok"] for trace in traces] == [False] * TASKS
    assert all("intercode-verifiers' own environment" in json.dumps(trace["errors"]) for trace in traces)
