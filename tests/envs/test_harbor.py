"""The Harbor world: the task's own verifier judges what an agent leaves, and nothing that it left for it to find."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from intercode.datasets.harbor_folder import HarborFolderDataset
from intercode.envs.harbor import HarborEnv
from intercode.errors import ImageError, SandboxError, UserError
from intercode.sandboxes.base import Limits, Sandbox
from intercode.sandboxes.local import LocalSandbox
from intercode.types import Action, Score

FOLDER = Path(__file__).parents[1] / "datasets" / "harbor_tasks"
TASKS = ("fix-counter", "log-report", "word-index")


@pytest.fixture(scope="module")
def env(sandbox: Sandbox) -> Iterator[HarborEnv]:
    with HarborEnv(HarborFolderDataset(FOLDER), sandbox=sandbox) as env:
        yield env


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A copy of a task, to be changed."""
    return Path(shutil.copytree(FOLDER / "log-report", tmp_path / "log-report"))


def play(env: HarborEnv, *commands: str, task: int | str = 0) -> Score:
    env.reset(options={"task": task})
    for command in commands:
        env.step(command)
    turn = env.take_action(Action("submit"))
    assert turn.scores is not None
    assert turn.scores["paper"] == turn.scores["exact"]
    return turn.scores["exact"]


@pytest.mark.parametrize("task", TASKS)
def test_the_solution_scores_one_and_doing_nothing_zero(env: HarborEnv, task: str) -> None:
    gold = env.dataset.find(task).gold
    assert gold is not None
    assert play(env, gold, task=task).success
    nothing = play(env, task=task)
    assert (nothing.value, nothing.success) == (0.0, False)


def test_a_reward_between_is_given_as_it_is(env: HarborEnv) -> None:
    half = "printf 'print(\"go: 1\")' > index.py"
    assert play(env, half, task="word-index").value == 0.5


def test_rewards_by_name_are_parts(env: HarborEnv) -> None:
    assert play(env, task="fix-counter").parts == {"reward": 0.0, "plain": 1.0, "hidden": 0.0}


def test_the_agent_finds_neither_tests_nor_solution(env: HarborEnv) -> None:
    env.reset(options={"task": "log-report"})
    seen, *_ = env.step("ls / /logs; find / -path /usr -prune -o -name check.py -print -o -name solve.sh -print; pwd")
    assert "tests" not in seen
    assert "solution" not in seen
    assert seen.endswith("/app\n")


def test_what_is_judged_is_a_copy(env: HarborEnv) -> None:
    """Nothing of the verifier is left where an agent goes on."""
    env.reset(options={"task": "log-report"})
    assert env.judge() is not None
    assert "tests" not in env.step("ls / /logs/verifier")[0]


@pytest.mark.parametrize(
    "command",
    [
        "echo 1 > /logs/verifier/reward.txt",
        "echo '{\"reward\": 1}' > /logs/verifier/reward.json",
        "mkdir -p /tests && printf 'import os; os._exit(0)' > /tests/json.py",
        "mkdir -p /x && printf 'exit 0' > /x/test.sh && ln -s /x /tests",
        "rm -rf /logs && ln -s /nowhere /logs",
        "mkfifo /logs/verifier/reward.json",
        "mkdir /logs/verifier/reward.txt && touch /logs/verifier/reward.txt/x",
        "touch /tests",
        "(while sleep 0.01; do echo 1 > /logs/verifier/reward.txt; done) >/dev/null 2>&1 &",
    ],
)
def test_what_an_agent_leaves_for_the_verifier_is_worth_nothing(env: HarborEnv, command: str) -> None:
    assert play(env, command, task="log-report").value == 0.0


def test_a_task_whose_own_solution_fails_is_an_error_and_no_zero(sandbox: Sandbox, task: Path) -> None:
    (task / "tests" / "test.sh").write_text("#!/bin/bash\nno-such-program && echo 1 > /logs/verifier/reward.txt\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        env.reset()
        with pytest.raises(SandboxError, match="status 127; it wrote no reward"):
            env.step("submit")
        assert env.status == "error"
        (task / "tests" / "test.sh").write_text("#!/bin/bash\necho 0 > /logs/verifier/reward.txt\n")
    with HarborEnv(HarborFolderDataset(task.rename(task.with_name("other"))), sandbox=sandbox) as env:
        env.reset()
        with pytest.raises(SandboxError, match="its own solution does not pass"):
            env.step("submit")


def test_without_a_solution_the_verifier_still_judges(sandbox: Sandbox, task: Path) -> None:
    shutil.rmtree(task / "solution")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        assert play(env, """echo '{"200": 3, "404": 1, "500": 1}' > report.json""").success
        assert play(env).value == 0.0


def test_a_verifier_has_its_own_time(sandbox: Sandbox, task: Path) -> None:
    shutil.rmtree(task / "solution")
    (task / "task.toml").write_text("[verifier]\ntimeout_sec = 0.5\n")
    (task / "tests" / "test.sh").write_text("echo 0 > /logs/verifier/reward.txt\n[ ! -e /app/slow ] || sleep 60\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        assert "the verifier did not end in its time" in play(env, "touch slow").notes


def test_an_episode_has_the_time_that_the_task_gives(sandbox: Sandbox, task: Path) -> None:
    (task / "task.toml").write_text("[agent]\ntimeout_sec = 0.5\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        env.reset()
        *_, truncated, _ = env.step("sleep 60")
        assert truncated
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox, episode_seconds=60, limits=Limits(seconds=30)) as env:
        env.reset()
        assert not env.step("sleep 0.6")[3]


def test_a_command_of_a_dockerfile_has_no_network_and_says_so(sandbox: Sandbox, task: Path) -> None:
    recipe = task / "environment" / "Dockerfile"
    recipe.write_text("FROM debian:12\nRUN echo there is no network >&2; exit 7\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        with pytest.raises(ImageError, match=r"status 7; its last line: there is no network"):
            env.reset()
        recipe.write_text("FROM python:2.7\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env, pytest.raises(ImageError, match=r"Python 2\.7"):
        env.reset()


def test_another_episode_goes_on_from_a_snapshot(env: HarborEnv) -> None:
    env.reset(options={"task": "log-report"})
    env.step("""echo '{"200": 3, "404": 1, "500": 1}' > report.json""")
    with env.snapshot() as snapshot:
        env.reset(options={"task": "word-index"})
        env.restore(snapshot)
        assert env.step("submit")[1] == 1.0


def test_gymnasium_makes_it_by_name(sandbox: Sandbox) -> None:
    with gymnasium.make("intercode/Harbor-v1", dataset=str(FOLDER), sandbox=sandbox) as env:
        query, _ = env.reset(options={"task": "log-report"})
        assert query.startswith("The file `/app/access.log`")


def test_a_sandbox_without_walls_is_refused(task: Path) -> None:
    (task / "environment" / "Dockerfile").write_text("FROM debian:12\nWORKDIR /app\n")
    local = LocalSandbox(i_know_this_is_unsafe=True)
    with (
        local,
        HarborEnv(HarborFolderDataset(task), sandbox=local) as env,
        pytest.raises(UserError, match="cannot play a task"),
    ):
        env.reset()
