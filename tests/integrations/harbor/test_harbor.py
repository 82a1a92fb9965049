"""Harbor's own agents, verifier and models: our sandbox runs its tasks, and its models read what we export."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from harbor.models.job.result import JobStats
from harbor.models.task.config import EnvironmentConfig
from harbor.models.task.task import Task as TheirTask
from harbor.models.trajectories import Trajectory
from harbor.models.trial.paths import TrialPaths
from harbor.viewer.scanner import JobScanner

from intercode.errors import BadDataError, SandboxError
from intercode.integrations.harbor import IntercodeEnvironment
from intercode.worlds.harbor.datasets.harbor_folder import HarborFolderDataset
from intercode.worlds.harbor.task_settings import HarborTask
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.sandbox import Session

TASKS = Path(__file__).parents[2] / "datasets" / "harbor_tasks"
BIN = Path(sys.executable).parent
OFFLINE = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "HARBOR_TELEMETRY": "0"}


def run(*arguments: str | Path) -> str:
    done = subprocess.run(list(map(str, arguments)), env=OFFLINE, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("agent", "reward"), [("oracle", 1.0), ("nop", 0.0)])
def test_its_agents_play_its_tasks_in_our_sandbox(tmp_path: Path, agent: str, reward: float) -> None:
    place = "intercode.integrations.harbor:IntercodeEnvironment"
    run(BIN / "harbor", "run", "-p", TASKS, "-a", agent, "--env", place, "-o", tmp_path, "--job-name", "job", "--yes")
    results = [json.loads(path.read_text()) for path in sorted(tmp_path.glob("job/*/result.json"))]
    rewards = {each["task_name"].rpartition("/")[2]: each["verifier_result"]["rewards"]["reward"] for each in results}
    assert rewards == dict.fromkeys(("fix-counter", "log-report", "word-index"), reward)
    assert not any(each["exception_info"] for each in results)


STEPS = {
    "task.toml": '[environment]\nnetwork_mode = "no-network"\n[[steps]]\nname = "first"\n[[steps]]\nname = "second"\n',
    "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\n",
    "steps/first/instruction.md": "Write one to /app/one.",
    "steps/first/solution/solve.sh": "echo 1 > /app/one",
    "steps/first/tests/test.sh": "[ -s /app/one ]; echo $((1 - $?)) > /logs/verifier/reward.txt",
    "steps/second/instruction.md": "Copy /app/one to /app/two.",
    "steps/second/solution/solve.sh": "cp /app/one /app/two",
    "steps/second/tests/test.sh": "cmp /app/one /app/two; [ $? = 0 ]; echo $((1 - $?)) > /logs/verifier/reward.txt",
}


@pytest.mark.parametrize(("agent", "reward"), [("oracle", 1.0), ("nop", 0.0)])
def test_a_task_of_several_steps_is_played_by_it_in_our_sandbox(tmp_path: Path, agent: str, reward: float) -> None:
    """Its own trial leads from step to step: to us they are commands and files."""
    for name, text in STEPS.items():
        (tmp_path / "copy-one" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "copy-one" / name).write_text(f"{text}\n")
    task, place = tmp_path / "copy-one", "intercode.integrations.harbor:IntercodeEnvironment"
    run(BIN / "harbor", "run", "-p", task, "-a", agent, "--env", place, "-o", tmp_path, "--job-name", "job", "--yes")
    [result] = [json.loads(path.read_text()) for path in tmp_path.glob("job/*/result.json")]
    assert [each["step_name"] for each in result["step_results"]] == ["first", "second"]
    assert result["verifier_result"]["rewards"] == {"reward": reward}


def test_a_task_of_several_services_is_refused_and_not_played_without_them(tmp_path: Path) -> None:
    (tmp_path / "docker-compose.yaml").write_text("services: {main: {}, database: {image: postgres}}\n")
    (tmp_path / "Dockerfile").write_text("FROM debian:12\n")
    paths = TrialPaths(tmp_path / "trial")
    with pytest.raises(BadDataError, match="several services are not played here"):
        IntercodeEnvironment(
            environment_dir=tmp_path,
            environment_name="two",
            session_id="two__1",
            trial_paths=paths,
            task_env_config=EnvironmentConfig(),
        )


@pytest.mark.parametrize("agent", ["oracle", "scripted"])
def test_its_model_reads_every_trajectory_that_we_export(tmp_path: Path, agent: str) -> None:
    script = tmp_path / "script.json"
    names = [f"{TASKS.name}/{each.name}" for each in TASKS.iterdir()]
    script.write_text(json.dumps({"moves": {name: ["ls", "no-such-program"] for name in names}}))
    option = ["--agent-option", f"script={script}"] if agent == "scripted" else []
    run(BIN / "intercode", "run", "--dataset", TASKS, "--agent", agent, *option, "--out", tmp_path / "run")
    run(BIN / "intercode", "export", tmp_path / "run", "--format", "atif", "--out", tmp_path / "atif")
    documents = [Trajectory.model_validate_json(path.read_text()) for path in sorted((tmp_path / "atif").iterdir())]
    assert [document.schema_version for document in documents] == ["ATIF-v1.8"] * 3
    rewards = [document.extra["reward"] for document in documents if document.extra]
    assert rewards == [float(agent == "oracle")] * 3


def test_its_viewer_reads_every_trial_of_a_job_that_we_export(tmp_path: Path) -> None:
    run(BIN / "intercode", "run", "--dataset", TASKS, "--agent", "oracle", "--out", tmp_path / "run")
    run(BIN / "intercode", "export", tmp_path / "run", "--format", "harbor", "--out", tmp_path / "jobs/greet")
    scanner = JobScanner(tmp_path / "jobs")
    assert scanner.list_jobs() == ["greet"]
    result, config = scanner.get_job_result("greet"), scanner.get_job_config("greet")
    assert result is not None
    assert config is not None
    assert [agent.name for agent in config.agents] == ["oracle"]
    trials = [scanner.get_trial_result("greet", name) for name in scanner.list_trials("greet")]
    assert len(trials) == 3
    assert [(each.verifier_result.rewards["reward"], each.exception_info) for each in trials] == [(1.0, None)] * 3
    counted = JobStats.from_trial_results(trials, n_total_trials=3)
    counted.evals = {name: each.model_copy(update={"metrics": [{"mean": 1.0}]}) for name, each in counted.evals.items()}
    assert result.stats.model_dump() == counted.model_dump()  # what Harbor makes of the trials is what we wrote


@pytest.mark.filterwarnings("ignore:The 'memory' field is deprecated:DeprecationWarning")
def test_we_read_of_a_task_what_it_reads() -> None:
    """One of the tasks says `memory = "1G"`, as older ones do."""
    for task in HarborFolderDataset(TASKS):
        ours = HarborTask.of(task)
        theirs = TheirTask(ours.folder)
        assert ours.query == theirs.instruction.strip()
        assert ours.agent_seconds == (theirs.config.agent.timeout_sec or 600)
        assert ours.verifier_seconds == theirs.config.verifier.timeout_sec
        assert (ours.limits.memory >> 20) == (theirs.config.environment.memory_mb or 2048)
        assert (dict(ours.env), dict(ours.verifier_env), dict(ours.solution_env)) == (
            theirs.config.environment.env,
            theirs.config.verifier.env,
            theirs.config.solution.env,
        )


@pytest.fixture
def environment(tmp_path: Path) -> IntercodeEnvironment:
    paths = TrialPaths(tmp_path / "trial")
    paths.mkdir()
    return IntercodeEnvironment(
        environment_dir=TASKS / "log-report" / "environment",
        environment_name="log-report",
        session_id=f"log-report__{uuid4().hex[:7]}",
        trial_paths=paths,
        task_env_config=EnvironmentConfig(memory_mb=512),
    )


@pytest.mark.asyncio
async def test_commands_and_files_go_in_and_out(environment: IntercodeEnvironment, tmp_path: Path) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "tool").write_text("#!/bin/sh\necho $WORD; echo oops >&2; exit 3\n")
    (tmp_path / "in" / "sub" / "tool").chmod(0o755)
    await environment.start(force_build=False)
    try:
        await environment.upload_dir(tmp_path / "in", "/in")
        result = await environment.exec("/in/sub/tool; pwd; exit 3", env={"WORD": "hi"})
        assert (result.stdout, result.stderr, result.return_code) == ("hi\n/app\n", "oops\n", 3)
        assert (await environment.exec("id -un", user="nobody")).stdout == "nobody\n"
        assert await environment.is_dir("/in/sub")
        await environment.upload_file(tmp_path / "in" / "sub" / "tool", "/app/tool")
        await environment.download_file("/app/tool", tmp_path / "out" / "tool")
        await environment.download_dir("/in", tmp_path / "all")
        assert (tmp_path / "out" / "tool").read_text() == (tmp_path / "all" / "sub" / "tool").read_text()
        with pytest.raises(RuntimeError, match="timed out after 1 seconds"):
            await environment.exec("sleep 60", timeout_sec=1)
        first, second = await asyncio.gather(environment.exec("sleep 1; echo 1"), environment.exec("echo 2"))
        assert (first.stdout, second.stdout) == ("1\n", "2\n")
    finally:
        await environment.stop(delete=True)


@pytest.mark.asyncio
async def test_commands_that_were_cancelled_keep_nothing_else_from_running(environment: IntercodeEnvironment) -> None:
    """Neither those of other trials nor its end: at their time limit agents leave what they have begun."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
    await environment.start(force_build=False)
    waiting = [asyncio.ensure_future(environment.exec(f"touch /tmp/{number}; sleep 90")) for number in range(3)]
    async with asyncio.timeout(60):
        while (await environment.exec("ls /tmp/0 /tmp/1 /tmp/2")).return_code != 0:
            await asyncio.sleep(0.05)
        for each in waiting:
            each.cancel()
        assert (await environment.exec("echo fine")).stdout == "fine\n"
        await environment.stop(delete=True)


@pytest.mark.asyncio
async def test_a_session_that_starts_after_its_trial_was_cancelled_is_closed(
    environment: IntercodeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Session] = []
    usual, begins, may_start = EmbeddedSandbox.start, threading.Event(), threading.Event()

    def start(*arguments: Any, **options: Any) -> Session:
        begins.set()
        may_start.wait(60)
        started.append(usual(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(EmbeddedSandbox, "start", start)
    starting = asyncio.ensure_future(environment.start(force_build=False))
    assert await asyncio.to_thread(begins.wait, 60)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    may_start.set()
    with pytest.raises(SandboxError):
        await asyncio.wait_for(use_for_ever(started), 60)


async def use_for_ever(sessions: list[Session]) -> None:
    while True:
        for each in sessions:
            each.run(["true"])
        await asyncio.sleep(0.05)
