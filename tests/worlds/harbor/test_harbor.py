"""The Harbor world: the task's own verifier judges what an agent leaves, and nothing that it left for it to find."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from intercode.errors import ImageError, SandboxError, UserError
from intercode.types import Action, Score
from intercode.worlds.harbor import HarborEnv
from intercode.worlds.harbor.datasets.harbor_folder import HarborFolderDataset
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Limits, Sandbox

FOLDER = Path(__file__).parents[2] / "datasets" / "harbor_tasks"
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


def test_no_verdict_is_believed_where_the_solution_does_not_pass(sandbox: Sandbox, task: Path) -> None:
    """A verifier that pays the agent, and refuses the task's own solution, says nothing of either."""
    (task / "tests" / "test.sh").write_text(
        "#!/bin/bash\necho looked\n"
        "[ -e /app/lucky ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n"
    )
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        env.reset()
        env.step("touch lucky")
        with pytest.raises(SandboxError, match=r"its own solution does not pass \(.*its last lines: looked"):
            env.step("submit")
        assert env.status == "error"


def test_a_solution_that_leaves_a_program_running_is_named_as_that(sandbox: Sandbox, task: Path) -> None:
    """No copy to judge in has it, so what the verifier says of the solution has this reason."""
    (task / "solution" / "solve.sh").write_text("#!/bin/bash\nnohup sleep 1000 >/dev/null 2>&1 &\n")
    (task / "tests" / "test.sh").write_text("#!/bin/bash\necho 0 > /logs/verifier/reward.txt\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        env.reset()
        with pytest.raises(SandboxError, match=r"its own solution does not pass: it leaves sleep running"):
            env.step("submit")


def test_programs_may_trace_each_other_as_in_a_container(env: HarborEnv) -> None:
    """A program that looks in this way whether a debugger is there would else believe so."""
    env.reset(options={"task": 0})
    observation, *_ = env.step("python3 -c 'import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))'")
    assert observation.strip() == "0"


def test_a_solution_that_fails_is_named_with_its_last_words(sandbox: Sandbox, task: Path) -> None:
    (task / "solution" / "solve.sh").write_text("#!/bin/bash\necho no such archive >&2\nexit 3\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        env.reset()
        with pytest.raises(SandboxError, match="it ended with status 3; its last lines: no such archive"):
            env.step("submit")


@pytest.mark.parametrize("paid", ["0", "1"])
def test_a_verifier_that_pays_for_nothing_is_a_fault_of_the_task(sandbox: Sandbox, task: Path, paid: str) -> None:
    test = f"[ -e /app/done ] && echo 1 > /logs/verifier/reward.txt || echo {paid} > /logs/verifier/reward.txt\n"
    (task / "tests" / "test.sh").write_text(f"#!/bin/bash\n{test}")
    (task / "solution" / "solve.sh").write_text("#!/bin/bash\ntouch /app/done\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        env.start_episode(env.dataset[0])
        assert env.fault() == ("doing nothing earns 1" if paid == "1" else "")


def test_nobody_works_on_while_the_solution_is_tried(sandbox: Sandbox, task: Path) -> None:
    """Its first trial comes after the agent's end, and takes longer than the agent would need."""
    right = HarborFolderDataset(task)[0].gold
    script = task / "solution" / "solve.sh"
    script.write_text(script.read_text().replace("\n", "\nsleep 4\n", 1))
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        env.reset()
        env.step(f"(sleep 2; {{\n{right}\n}}) > /dev/null 2>&1 < /dev/null &")
        assert env.take_action(Action("submit")).reward == 0
        env.reset()
        env.step(f"(sleep 0.1; {{\n{right}\n}}) > /dev/null 2>&1 < /dev/null & wait")
        assert env.take_action(Action("submit")).reward == 1


def test_a_solution_is_tried_once_for_many_episodes(sandbox: Sandbox, task: Path) -> None:
    script = task / "solution" / "solve.sh"
    script.write_text(script.read_text().replace("set -e", "sleep 3"))
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        play(env)
        began = time.monotonic()
        play(env)
        assert time.monotonic() - began < 3


def test_a_solution_that_does_not_end_in_its_time_is_tried_again(sandbox: Sandbox, task: Path) -> None:
    """A busy machine makes no fact of a task."""
    (task / "task.toml").write_text("[verifier]\ntimeout_sec = 2\n")
    script = task / "tests" / "test.sh"
    script.write_text(script.read_text().replace("\n", "\n[ -e /app/slow ] && sleep 60\n", 1))
    solution = task / "solution" / "solve.sh"
    solution.write_text(f"{solution.read_text()}touch /app/slow\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        for _ in range(2):
            env.reset()
            with pytest.raises(SandboxError, match="cannot be judged now: its verifier did not end in its time"):
                env.step("submit")


SETTINGS = "mkdir -p /etc/profile.d && echo 'export TOOL=yes' > /etc/profile.d/tool.sh"


def test_what_a_solution_needs_of_the_system_is_named_and_can_be_kept(sandbox: Sandbox, task: Path) -> None:
    (task / "solution" / "solve.sh").write_text(f"{SETTINGS}\n")
    (task / "tests" / "test.sh").write_text(
        "#!/bin/bash\ngrep -qx 'export TOOL=yes' /etc/profile.d/tool.sh && echo 1 > /logs/verifier/reward.txt "
        "|| echo 0 > /logs/verifier/reward.txt\n"
    )
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        env.reset()
        env.step(SETTINGS)
        with pytest.raises(SandboxError, match=r"judged without what was left at /etc/profile\.d.*`keep`"):
            env.step("submit")
    with HarborEnv(HarborFolderDataset(task, keep="/etc/profile.d"), sandbox=sandbox) as env:
        assert play(env, SETTINGS).success
        assert not play(env).success


def test_what_a_verifier_printed_is_told_with_the_score(sandbox: Sandbox, task: Path) -> None:
    script = task / "tests" / "test.sh"
    script.write_text(script.read_text().replace("\n", "\necho looking at the report\n", 1))
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        assert "the verifier printed:\nlooking at the report" in play(env).notes[-1]


def test_without_a_solution_the_verifier_still_judges(sandbox: Sandbox, task: Path) -> None:
    shutil.rmtree(task / "solution")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        done = play(env, """echo '{"200": 3, "404": 1, "500": 1}' > report.json""")
        assert done.success
        assert any(note.startswith("the task has no solution") for note in done.notes)
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
        with pytest.raises(ImageError, match=r"line 2: RUN echo .*status 7; its last line: there is no network"):
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


def test_a_solution_that_ran_out_of_time_is_tried_again(sandbox: Sandbox, task: Path) -> None:
    """On a busy machine that says nothing of the task: the next episode is judged."""
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox, limits=Limits(seconds=1)) as env:
        env.reset()
        env.set_gold("sleep 60")
        with pytest.raises(SandboxError, match="its own solution did not end in its time"):
            env.step("submit")
        assert play(env).value == 0.0
