"""What an agent does to its own session, in every world that has one: judged, and never an error.

An error is the machine's, and not counted: whoever could make one of a failure would have no failures.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from security.host import becomes_true, exists, first_process, parent

from env.tiny import TinyDataset
from intercode.env.env import Env
from intercode.env.failures import LOST
from intercode.errors import SandboxError, SessionLostError, SnapshotError
from intercode.runs.branches import EnvBranches
from intercode.types import Action
from intercode.worlds.bash import BashEnv
from intercode.worlds.ctf import CtfEnv
from intercode.worlds.harbor import HarborEnv
from intercode.worlds.harbor.datasets.harbor_folder import HarborFolderDataset
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.interpreter import Interpreter, InterpreterReply
from intercode.worlds.swe import SweEnv
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.runner.session import RunnerSession
from intercode_sandbox.sandbox import Limits, Result, Sandbox, Session
from worlds.ctf.tiny_ctf import TinyCtfDataset
from worlds.python.python_world import FewTasks
from worlds.swe.swe_world import PASSING, TinySwe

HARBOR_TASKS = Path(__file__).parents[1] / "datasets" / "harbor_tasks"
SMALL = Limits(seconds=2, memory=256 << 20, processes=64, disk=16 << 20, inodes=2000)
MAKERS: dict[str, Callable[[Sandbox], Env]] = {
    "bash": lambda sandbox: BashEnv(TinyDataset(), sandbox=sandbox, limits=SMALL),
    "bash-paper": lambda sandbox: BashEnv(TinyDataset("paper"), sandbox=sandbox, limits=SMALL),
    "bash-persistent": lambda sandbox: BashEnv(TinyDataset(), shell="persistent", sandbox=sandbox, limits=SMALL),
    "python": lambda sandbox: PythonEnv(FewTasks(), sandbox=sandbox, limits=SMALL),
    "python-paper": lambda sandbox: PythonEnv(FewTasks("paper"), sandbox=sandbox, limits=SMALL),
    "swe": lambda sandbox: SweEnv(TinySwe(), sandbox=sandbox, limits=SMALL),
    "ctf": lambda sandbox: CtfEnv(TinyCtfDataset(), sandbox=sandbox, limits=SMALL),
    "harbor": lambda sandbox: HarborEnv(HarborFolderDataset(HARBOR_TASKS), sandbox=sandbox, limits=SMALL),
}


@pytest.fixture(params=MAKERS)
def env(request: pytest.FixtureRequest, sandbox: Sandbox) -> Iterator[Env]:
    with MAKERS[request.param](sandbox) as env:
        env.reset(options={"task": 0}, seed=1)
        yield env


def do(env: Env, script: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
    """A command for bash, in whichever world."""
    python = f"import subprocess\nsubprocess.run(['bash', '-c', {script!r}])"
    return env.step(python if env.world == "python" else script)


def first(env: Env) -> int:
    """The process 1 of its session, as the machine counts."""
    return first_process(env.current_session)


# The session itself gives way


@pytest.mark.parametrize("last", ["true", "submit"])
def test_a_session_that_dies_is_a_failure(env: Env, last: str) -> None:
    """Killed from here, as it could be for want of memory; found out in an action, or only when it is judged."""
    process = first(env)
    os.kill(process, signal.SIGKILL)
    assert becomes_true(lambda: not exists(process))
    text, reward, terminated, truncated, info = do(env, last) if last != "submit" else env.step(last)
    assert (reward, terminated, truncated) == (0.0, last == "submit", last != "submit")
    assert {score.value for score in info["scores"].values()} == {0.0}
    assert LOST in text or last == "submit"
    env.reset(options={"task": 0})
    assert do(env, "true")[1:4] == (0.0, False, False)


def test_a_session_that_says_nothing_is_a_failure(sandbox: Sandbox) -> None:
    with MAKERS["bash"](sandbox) as env:
        env.reset(options={"task": 0})
        os.kill(first(env), signal.SIGSTOP)
        assert do(env, "true")[1:4] == (0.0, False, True)


def test_a_sandbox_that_dies_is_the_machines_error() -> None:
    """Then no fresh session works either."""
    with EmbeddedSandbox() as sandbox, MAKERS["bash"](sandbox) as env:
        env.reset(options={"task": 0})
        process = first(env)
        os.kill(parent(process), signal.SIGKILL)  # the zygote, and all that it has started with it
        assert becomes_true(lambda: not exists(process))
        with pytest.raises(SandboxError, match="start another"):
            do(env, "true")
        assert env.status == "error"


def test_nothing_is_kept_of_a_session_that_is_gone(env: Env) -> None:
    """Who looks ahead is told so, and the episode goes on, to its failure."""
    process = first(env)
    os.kill(process, signal.SIGKILL)
    assert becomes_true(lambda: not exists(process))
    with pytest.raises(SnapshotError, match="this state cannot be saved"):
        env.snapshot()
    if env.world != "python":  # where forks begin anew and run all again
        with pytest.raises(SnapshotError, match="this state cannot be saved"):
            env.fork()
        with pytest.raises(SnapshotError, match="this state cannot be saved"):  # as agents that search expect it
            EnvBranches(env).try_out([Action("execute", "true")])
    assert env.status is None
    assert do(env, "true")[1:4] == (0.0, False, True)


# What runs in it does its worst

DEEDS = {
    "processes": "for i in {1..300}; do (exec sleep 1000) & done >/dev/null 2>&1",
    "more processes": "f() { f | f & }; f",
    "memory": "x=$(head -c 1G /dev/zero | tr '\\0' x)",
    "shared memory": "head -c 1G /dev/zero > /dev/shm/x",
    "disk": "head -c 1G /dev/zero > /tmp/x; echo x > /tmp/y",
    "inodes": "touch /tmp/{1..3000}",
    "killing": "kill -9 -1",
    "stopping": "kill -STOP -1",
    "a closed root": "rm -rf /etc/* /root /home /tmp 2>/dev/null; chmod 0 /etc /var /",
    "depth": "cd /tmp; for i in {1..300}; do mkdir d; cd d; done; touch x",
    "odd files": "cd /tmp; mkfifo p; ln -s p l; truncate -s 8T h; touch $'\\xff' $'a\\nb'; chmod 0 p h",
    "no output": "exec 1>&- 2>&-; exit 3",
    "a loop": "while :; do :; done",
}


@pytest.mark.parametrize("deed", DEEDS)
def test_whatever_is_done_in_it_is_judged(env: Env, deed: str) -> None:
    """It can be looked at, acted in, kept or refused to be kept, and handed in."""
    do(env, DEEDS[deed])
    if env.status is None:
        do(env, "echo x")
    if env.status is None:
        with suppress(SnapshotError):
            EnvBranches(env).try_out([Action("execute", "1")])
    if env.status is None:
        env.step("submit flag{none}" if env.world == "ctf" else "submit")
    assert env.status in ("submitted", "truncated")
    scores = env.history[-1].scores
    assert scores is not None
    assert all(0 <= score.value < 1 for score in scores.values())
    env.reset(options={"task": 0})
    do(env, "true")
    assert env.status is None


@pytest.mark.parametrize("deed", ["processes", "memory", "disk", "killing", "stopping", "a closed root", "depth"])
@pytest.mark.parametrize("world", ["bash-persistent", "python"])
def test_whatever_is_done_in_a_container_is_judged(docker: DockerSandbox, world: str, deed: str) -> None:
    with MAKERS[world](docker) as env:
        env.reset(options={"task": 0})
        do(env, DEEDS[deed])
        if env.status is None:
            do(env, "echo x")
        if env.status is None:
            env.step("submit")
        assert env.status in ("submitted", "truncated")
        assert env.history[-1].scores is not None


@pytest.fixture(scope="module")
def docker(docker_url: str) -> Iterator[DockerSandbox]:
    with DockerSandbox(engine=docker_url, ahead=0) as sandbox:
        yield sandbox


# The ways of a single world


@pytest.mark.parametrize(
    "deed",
    [
        'printf() { builtin printf "${1/\\%d/none}" "${@:2}"; }',
        'printf() { builtin printf "${1/\\%d/99999999999999999999}" "${@:2}"; }',
        "exec 200>&-",
        "trap 'echo x >&200' DEBUG",
        "set -e; false",
        "enable -n printf eval; eval() { :; }",
        "exec sleep 1000",
        "kill -9 $$",
        "exit 300",
        "cd /; rm -rf /tmp; exec 0<&-",
    ],
)
def test_no_bash_that_stays_can_break_its_protocol(sandbox: Sandbox, deed: str) -> None:
    """It is the agent's own Bash that tells how a command has ended: it may say what it likes."""
    with MAKERS["bash-persistent"](sandbox) as env:
        env.reset(options={"task": 0})
        for action in (deed, "echo x", "echo y"):
            assert isinstance(env.step(action)[0], str)
        with suppress(SnapshotError):
            EnvBranches(env).try_out([Action("execute", "true")])
        assert env.step("submit")[2]


@pytest.mark.parametrize(
    ("world", "action"), [("swe", PASSING), ("python", "def square(number):\n    return number * number")]
)
def test_code_that_breaks_the_session_in_which_it_is_tested_has_failed(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, world: str, action: str
) -> None:
    """It runs in one of its own there."""
    with MAKERS[world](sandbox) as env:
        env.reset(options={"task": 0})
        env.step(action)
        break_all_but(env.current_session, monkeypatch)
        _, reward, terminated, _, info = env.step("submit")
        assert (reward, terminated) == (0.0, True)
        assert info["scores"]["exact"].notes == (LOST,)


def break_all_but(mine: Session, patch: pytest.MonkeyPatch) -> None:
    """Have every other session lost as soon as something is run in it."""
    run, order = RunnerSession.run, Interpreter.order

    def lost_run(session: RunnerSession, *given: Any, **more: Any) -> Result:
        if session is not mine:
            raise SessionLostError("broke")
        return run(session, *given, **more)

    def lost_order(interpreter: Interpreter, *given: Any, **more: Any) -> InterpreterReply:
        if interpreter.session is not mine:
            raise SessionLostError("broke")
        return order(interpreter, *given, **more)

    patch.setattr(RunnerSession, "run", lost_run)
    patch.setattr(Interpreter, "order", lost_order)


def test_a_gold_that_breaks_its_session_is_no_failure_of_the_agent(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = (("Print the number of lines of b.txt in /shop.", "wc -l < /shop/b.txt"),)  # whose gold nobody knows yet
    with BashEnv(TinyDataset(tasks=tasks), sandbox=sandbox) as env:
        env.reset(options={"task": 0})
        env.step("true")
        break_all_but(env.current_session, monkeypatch)
        with pytest.raises(SandboxError, match="that only a gold used"):
            env.step("submit")
        assert env.status == "error"
