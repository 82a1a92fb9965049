"""Whole runs against a server that fails in every tenth call: nothing lost, nothing counted twice, budgets kept."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from model_run import model_job
from openai_server import Server, every_tenth

from intercode.env.env import Env
from intercode.errors import BudgetExceededError, ModelRefusedError
from intercode.runs import store
from intercode.runs.budget import Budget
from intercode.runs.callback import ProgressCallback
from intercode.runs.job import Job
from intercode.runs.resume import reopen
from intercode.runs.runner import Runner
from intercode.runs.store import RunStore, StoredRun
from intercode.types.conversation import conversations
from intercode_sandbox.testing.patience import patience

HERE = Path(__file__).parent
KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server()
    yield served
    served.close()


def play(job: Job, folder: Path, parallel: int) -> StoredRun:
    opened = reopen(folder, job) if folder.exists() else RunStore.create(folder, job.manifest)
    with opened:
        Runner(job, opened, parallel).run()
    return store.read(folder)


def table(run: StoredRun) -> dict[str, tuple[bool | None, int]]:
    return {each.task.id: (each.success("exact"), len(each.turns)) for each in run.episodes}


def wanted(size: int) -> dict[str, tuple[bool | None, int]]:
    """What the server's answers come to: see `say`."""
    return {f"toy/{number}": (number % 10 != 4, 2 if number % 2 == 0 else 3) for number in range(size)}


def test_a_thousand_episodes_with_a_fault_in_every_tenth_call_all_end_well(server: Server, tmp_path: Path) -> None:
    server.fault = every_tenth
    run = play(model_job(server.url, 1000), tmp_path / "run", 64)
    assert table(run) == wanted(1000)
    assert len(run.episodes) == 1000
    assert not [episode for episode in run.episodes if episode.status == "error"]
    answers = sum(len(turn.calls) for episode in run.episodes for turn in episode.turns)
    assert answers == len(server.requests) - sum(server.failed[fault] for fault in server.failed if fault)
    assert sum(call.reply.tries > 1 for e in run.episodes for turn in e.turns for call in turn.calls) > 100


def test_faults_that_are_not_retried_are_errors_with_their_cause_and_played_again(
    server: Server, tmp_path: Path
) -> None:
    server.fault = every_tenth
    first = play(model_job(server.url, 300, tries=1), tmp_path / "run", 32)
    broken = {episode.task.id: episode.error for episode in first.episodes if episode.status == "error"}
    assert len(first.episodes) == 300
    assert 30 < len(broken) < 150
    assert all(error.startswith("ModelError: ") and "(asked 1 time)" in error for error in broken.values())
    causes = Counter(
        cause for error in broken.values() for cause in ("429", "500", "503", "not JSON", "choice") if cause in error
    )
    assert len(causes) == 5
    rest = {task: outcome for task, outcome in table(first).items() if task not in broken}
    assert rest == {task: outcome for task, outcome in wanted(300).items() if task in rest}
    server.fault = lambda number: ""
    assert table(play(model_job(server.url, 300), tmp_path / "run", 32)) == wanted(300)


def test_kill_9_in_the_middle_and_resume_give_the_same_table(tmp_path: Path) -> None:
    address = tmp_path / "url"
    with subprocess.Popen([sys.executable, str(HERE / "openai_server.py"), str(address), "0.005", "faults"]) as served:
        while not address.exists():
            time.sleep(0.05)
        command: list[str | Path] = [
            sys.executable,
            HERE / "model_run.py",
            tmp_path / "run",
            address.read_text(),
            "120",
            "8",
            "8",
        ]
        # the pipe holds four lines: the run cannot come to its end before it is killed
        with subprocess.Popen(command, stdout=subprocess.PIPE, pipesize=4096, text=True) as running:
            assert running.stdout is not None
            for _ in range(40):
                running.stdout.readline()
            running.kill()
        before = len((tmp_path / "run" / "episodes.jsonl").read_bytes().splitlines())
        assert 40 <= before < 120
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, timeout=600)
        served.kill()
    run = store.read(tmp_path / "run")
    assert table(run) == wanted(120)
    assert len((tmp_path / "run" / "episodes.jsonl").read_bytes().splitlines()) in (120, 121)  # 121: one was torn


def test_ctrl_c_while_answers_are_awaited_keeps_what_is_finished_and_the_run_can_go_on(
    server: Server, tmp_path: Path
) -> None:
    answers, silent, awaited = server.answer, threading.Event(), threading.Event()

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if silent.is_set():
            awaited.set()
            ended.wait()
        return answers(request)

    server.answer, ended = answer, threading.Event()
    command = [sys.executable, str(HERE / "model_run.py"), str(tmp_path / "run"), server.url, "24", "4", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=4096, text=True) as running:
        assert running.stdout is not None
        for _ in range(4):
            running.stdout.readline()
        silent.set()
        reader = threading.Thread(target=running.stdout.read)
        reader.start()
        assert awaited.wait(60)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 1
        reader.join()
    ended.set()
    silent.clear()
    finished = len(store.read(tmp_path / "run").episodes)
    assert 4 <= finished < 24
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, timeout=600)
    assert table(store.read(tmp_path / "run")) == wanted(24)


def test_no_key_is_anywhere_in_a_run(server: Server, tmp_path: Path) -> None:
    server.answer = lambda request: {"content": f"Action: submit {KEY}"}
    server.fault = lambda number: '{"error": {"message": "bad ' + KEY + '"}}' if number % 2 else ""
    play(model_job(server.url, 10), tmp_path / "run", 2)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    for path in (tmp_path / "run").iterdir():
        assert KEY.encode() not in path.read_bytes(), path


def test_every_turn_holds_what_was_asked_and_what_it_took(server: Server, tmp_path: Path) -> None:
    run = play(model_job(server.url, 2), tmp_path / "run", 1)
    episode = next(each for each in run.episodes if each.task.id == "toy/1")
    asked = list(conversations(call for turn in episode.turns for call in turn.calls))
    assert [len(messages) for messages, _ in asked] == [2, 4, 6]
    assert [message.role for message in asked[2][0]] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [[{"role": message.role, "content": message.text} for message in messages] for messages, _ in asked] == [
        request["messages"] for request in server.requests if "Say 1." in request["messages"][1]["content"]
    ]
    assert episode.usage.cost == pytest.approx(sum(turn.usage.cost or 0 for turn in episode.turns))
    assert episode.usage.completion_tokens > 0
    assert all(turn.calls[0].reply.raw["id"] == "chatcmpl-1" for turn in episode.turns)


@pytest.mark.parametrize("budget", [Budget(tokens=20_000), Budget(cost=0.02)])
def test_a_budget_ends_the_run_and_more_of_it_goes_on(server: Server, tmp_path: Path, budget: Budget) -> None:
    with pytest.raises(BudgetExceededError, match=r"is used up .*\n  fix: .*\n  resume: intercode run --resume"):
        play(model_job(server.url, 200, budget=budget), tmp_path / "run", 4)
    stopped = store.read(tmp_path / "run")
    assert 0 < len(stopped.episodes) < 200
    assert {each.error.partition(":")[0] for each in stopped.episodes if each.status == "error"} <= {
        "BudgetExceededError"
    }
    used = RunStore.resume(tmp_path / "run")
    used.close()
    assert used.used.tokens == budget.used.tokens  # what was spent on episodes under way is in the file too
    again = model_job(server.url, 200, budget=Budget(tokens=budget.tokens, cost=budget.cost))
    with pytest.raises(BudgetExceededError):  # the same is used up already
        play(again, tmp_path / "run", 4)
    assert table(play(model_job(server.url, 200), tmp_path / "run", 4)) == wanted(200)


def test_what_was_spent_is_told_turn_by_turn(server: Server, tmp_path: Path) -> None:
    class Purse(ProgressCallback):
        costs: ClassVar[list[float | None]] = []

        def on_usage(self, cost: float | None) -> None:
            self.costs.append(cost)

    job = model_job(server.url, 3)
    with RunStore.create(tmp_path / "run", job.manifest) as opened:
        Runner(job, opened, 1, Purse()).run()
    run = store.read(tmp_path / "run")
    turns = sum(len(episode.turns) for episode in run.episodes)
    assert len(set(Purse.costs)) == turns + 1 > 6
    assert Purse.costs[-1] == pytest.approx(sum(episode.usage.cost or 0.0 for episode in run.episodes))


def test_a_server_that_refuses_everything_stops_the_run_at_once(server: Server, tmp_path: Path) -> None:
    server.fault = lambda number: "401" if number > 20 else ""
    with pytest.raises(
        ModelRefusedError, match=r"server\. Is there a valid key in OPENAI_API_KEY\? \(\d+ of 200 episodes are stored"
    ):
        play(model_job(server.url, 200), tmp_path / "run", 4)
    assert len(server.requests) < 40


def short_lived(env: Env) -> Env:
    env.clock.episode_seconds = 1.5
    return env


@pytest.mark.parametrize("fault", ["slow", "drip"])
def test_an_episode_whose_time_is_over_is_judged_though_the_model_has_not_answered(tmp_path: Path, fault: str) -> None:
    server = Server(fault=lambda number: fault, slow=60)
    started = time.monotonic()
    job = model_job(server.url, size=2)
    run = play(replace(job, make_env=lambda: short_lived(job.make_env())), tmp_path / "run", 2)
    assert time.monotonic() - started < patience(20)
    assert [(each.status, each.success("exact"), len(each.turns)) for each in run.episodes] == [
        ("truncated", False, 1)
    ] * 2
    assert "1.5 s are over" in run.episodes[0].turns[0].observation.text
    server.close()
