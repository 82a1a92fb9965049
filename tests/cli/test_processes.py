"""Runs that several processes play: the same as by one, whoever is killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from terminal import PROGRAM, intercode, marked

from intercode.datasets import load
from intercode.env.env import Env
from intercode.runs import store
from intercode.runs.budget import Budget
from intercode.runs.episode import EpisodeRun
from intercode.runs.job import Job, prepare, prepare_part
from intercode.runs.runner import default_processes
from intercode.runs.settings import Settings
from intercode.types import Trajectory
from intercode.types.trajectories import EPISODES

SIZE = 16

TIMES = {"started_at", "seconds", "phases", "started"}
"""The fields of a record that differ from one run to the next."""

DEADLY = """
import os
from intercode.agents.oracle import OracleAgent

class DeadlyAgent(OracleAgent):
    def reset(self, task, *, seed, gold=None):
        super().reset(task, seed=seed, gold=gold)
        if task.id.endswith("/list-confs"):
            os.kill(os.getpid(), 9)
"""


@pytest.fixture
def slow(tmp_path: Path) -> list[str]:
    """A run of which every episode takes more than a second."""
    moves = {task.id: ["sleep 1.2", task.gold, "submit"] for task in list(load("starter"))[:SIZE]}
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"moves": moves}))
    agent = ["--agent", "scripted", "--agent-option", f"script={script}", "--limit", str(SIZE)]
    return [*agent, "--out", str(tmp_path / "run"), "--parallel", "4", "--processes", "2"]


@contextmanager
def started(*arguments: str, mark: str) -> Iterator[subprocess.Popen[str]]:
    env = {**os.environ, "CI": "", "MARK": mark}
    command = [*PROGRAM, "run", *arguments]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until_stored(folder: Path, count: int) -> None:
    deadline = time.monotonic() + 90
    while not (folder / EPISODES).exists() or (folder / EPISODES).read_bytes().count(b"\n") < count:
        assert time.monotonic() < deadline, "too few episodes were stored"
        time.sleep(0.05)


def workers_of(process: int) -> list[int]:
    """Its children that are interpreters."""
    lists = Path(f"/proc/{process}/task").glob("*/children")
    found = {int(child) for each in lists for child in _read(each).split()}
    return [child for child in found if b"intercode.runs.processes" in _read(Path(f"/proc/{child}/cmdline"))]


def _read(path: Path) -> bytes:
    """What it says; nothing where its process or thread has just ended."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def nothing_is_left(mark: str) -> bool:
    """Whether all that the program has started has ended, soon."""
    deadline = time.monotonic() + 60
    while marked(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def keys(folder: Path) -> list[tuple[str, int]]:
    """The episodes by the lines of the file, played again or not."""
    lines = (folder / EPISODES).read_text().splitlines()
    return sorted((line["task"]["id"], line["repeat"]) for line in map(json.loads, lines))


def timeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: timeless(each) for name, each in value.items() if name not in TIMES}
    return [timeless(each) for each in value] if isinstance(value, list | tuple) else value


def records(folder: Path) -> list[Any]:
    def name(episode: Trajectory) -> tuple[str, int]:
        return episode.task.id, episode.repeat

    return [timeless(episode.as_dict()) for episode in sorted(store.read(folder).episodes, key=name)]


def test_what_two_processes_store_is_what_one_does(tmp_path: Path) -> None:
    for count in ("1", "2"):
        options = ["--limit", "8", "--repeat", "2", "--parallel", "4", "--processes", count]
        done = intercode("run", *options, "--out", tmp_path / count)
        assert done.returncode == 0, done.stderr
    assert len(records(tmp_path / "1")) == 16
    assert records(tmp_path / "1") == records(tmp_path / "2")


def test_episodes_of_a_killed_worker_are_played_again_and_none_twice(tmp_path: Path, slow: list[str]) -> None:
    with started(*slow, mark=f"worker {tmp_path}") as process:
        wait_until_stored(tmp_path / "run", 2)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, said = process.communicate(timeout=90)
    assert process.returncode == 0, said
    assert "a worker process ended (killed by SIGKILL): its episodes are played again" in said
    assert keys(tmp_path / "run") == sorted((task.id, 0) for task in list(load("starter"))[:SIZE])
    assert nothing_is_left(f"worker {tmp_path}")


def test_when_the_program_is_killed_its_workers_end_and_the_run_can_go_on(tmp_path: Path, slow: list[str]) -> None:
    with started(*slow, mark=f"program {tmp_path}") as process:
        wait_until_stored(tmp_path / "run", 2)
        process.kill()
    assert nothing_is_left(f"program {tmp_path}")
    before = len(keys(tmp_path / "run"))
    assert 2 <= before < SIZE
    done = intercode("run", *slow, "--resume")
    assert done.returncode == 0, done.stderr
    assert keys(tmp_path / "run") == sorted((task.id, 0) for task in list(load("starter"))[:SIZE])


def test_ctrl_c_ends_all_processes_and_says_how_to_go_on(tmp_path: Path, slow: list[str]) -> None:
    with started(*slow, mark=f"ctrl-c {tmp_path}") as process:
        wait_until_stored(tmp_path / "run", 2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=90)
    assert process.returncode == 130
    assert f"--resume --out {tmp_path / 'run'}" in said
    assert "Traceback" not in said
    assert nothing_is_left(f"ctrl-c {tmp_path}")


def test_an_episode_whose_process_always_dies_is_an_error_and_the_others_are_played(tmp_path: Path) -> None:
    (tmp_path / "deadly.py").write_text(DEADLY)
    options = ["--agent", str(tmp_path / "deadly.py"), "--limit", "6", "--parallel", "4", "--processes", "2"]
    done = intercode("run", *options, "--out", tmp_path / "run")
    assert done.returncode == 1
    errors = [each for each in store.read(tmp_path / "run").episodes if each.status == "error"]
    assert [each.task.id for each in errors] == ["starter/bash/list-confs"], done.stdout + done.stderr
    assert errors[0].error == "MachineError: the process that played it ended 3 times (killed by SIGKILL)"
    assert len(keys(tmp_path / "run")) == 6


def test_a_bug_in_a_worker_ends_the_run_with_its_trace(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(DEADLY.replace("os.kill(os.getpid(), 9)", "raise ZeroDivisionError"))
    options = ["--agent", str(tmp_path / "broken.py"), "--limit", "6", "--parallel", "4", "--processes", "2"]
    done = intercode("run", *options, "--out", tmp_path / "run")
    assert done.returncode not in (0, 130)
    assert "a worker process ended by a bug" in done.stderr
    assert "ZeroDivisionError" in done.stderr


class CountingServer(BaseHTTPRequestHandler):
    """Answers each question by `submit`, for a hundred tokens."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
        message = {"role": "assistant", "content": "Thought: done\nAction: submit"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        body = json.dumps(reply | {"usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""


def test_a_budget_is_kept_by_all_processes_together(tmp_path: Path) -> None:
    """Ten questions of a hundred tokens, and those that the other three were at."""
    with ThreadingHTTPServer(("127.0.0.1", 0), CountingServer) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        options = ["--model", "m", "--base-url", url, "--parallel", "4", "--processes", "2", "--max-tokens", "1000"]
        done = intercode("run", *options, "--out", tmp_path / "run", OPENAI_API_KEY="none")
        server.shutdown()
    assert done.returncode == 3, done.stderr
    assert "the budget of 1000 tokens is used up" in done.stderr
    used = sum(each.usage.tokens for each in store.read(tmp_path / "run").episodes)
    assert 1000 <= used <= 1300


def test_a_further_worker_takes_no_more_than_sixty_megabytes(tmp_path: Path, slow: list[str]) -> None:
    with started(*slow, mark=f"memory {tmp_path}") as process:
        wait_until_stored(tmp_path / "run", SIZE // 2)
        workers = workers_of(process.pid)
        own = [private_memory(worker) for worker in workers]
    assert len(own) == 2
    assert max(own) < 60e6


def private_memory(process: int) -> int:
    """Bytes that are held by nobody else."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))


@pytest.mark.parametrize("words", [("--agent", "human"), ("--model", "scripted:replies.json")])
def test_what_only_one_process_can_play_is_refused_with_the_reason(tmp_path: Path, words: tuple[str, str]) -> None:
    (tmp_path / "replies.json").write_text(json.dumps({"replies": {"": ["submit"]}}))
    done = intercode("run", *words, "--processes", "2", "--parallel", "2", "--limit", "2", cwd=tmp_path)
    assert done.returncode == 2
    assert "--processes 2: " in done.stderr


def test_processes_are_chosen_by_cores_and_episodes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with prepare(Settings(limit=2)) as job:
        chosen = {}
        for cores in (2, 8, 64):
            monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)))
            chosen[cores] = [default_processes(job, parallel) for parallel in (1, 8, 64)]
    assert chosen == {2: [1, 1, 1], 8: [1, 2, 2], 64: [1, 2, 16]}


def test_an_action_that_is_no_text_is_told_to_the_run_and_ends_no_worker(tmp_path: Path) -> None:
    """Half a surrogate pair, as a model may write it in JSON."""
    moves = {task.id: ["echo \ud800", task.gold, "submit"] for task in list(load("starter"))[:4]}
    (tmp_path / "script.json").write_text(json.dumps({"moves": moves}))
    agent = ["--agent", "scripted", "--agent-option", f"script={tmp_path / 'script.json'}"]
    words = [*agent, "--limit", "4", "--parallel", "2", "--processes", "2", "--out", "run"]
    done = intercode("run", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "a worker process ended" not in done.stderr
    assert len(store.read(tmp_path / "run").episodes) == 4


def test_workers_take_replies_from_the_same_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "replies.json").write_text(json.dumps({"replies": {"": ["```bash\nls\n```", "submit"]}}))
    model = f"scripted:{tmp_path / 'replies.json'}"
    with prepare(Settings(agent="react", model=model, limit=1, cache=True)) as job:
        checksum = next(iter(job.manifest.data.values()))
        first = play_first(job, job.make_env())
        with prepare_part(job.settings, Budget(), checksum=checksum, say=print) as part:
            again = play_first(part, part.make_env())
    assert (first.usage.from_cache, again.usage.from_cache) == (0, again.usage.tokens)


def play_first(job: Job, env: Env) -> Trajectory:
    """An episode of its first task; *env* is closed."""
    try:
        return EpisodeRun(env, job.make_agent(), job.tasks[0], seed=1).play()
    finally:
        env.close()


def test_limits_on_how_much_is_asked_in_a_minute_hold_for_one_process(tmp_path: Path) -> None:
    url = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    with socket.create_server(("127.0.0.1", 0)) as server:
        url[-1] = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        words = [*url, "--model-option", "requests_per_minute=5", "--processes", "2", "--parallel", "2"]
        done = intercode("run", *words, "--limit", "2", cwd=tmp_path)
    assert done.returncode == 2
    assert "--processes 2: one process counts requests_per_minute" in done.stderr
