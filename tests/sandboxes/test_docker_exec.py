"""The docker sandbox where this is no Linux, beyond the contract: what it leaves, makes images of, and says."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import small_root
from docker_command import needs_command

from intercode import datasets
from intercode.errors import SandboxError, SandboxGoneError, SessionLostError, UserError
from intercode.worlds.bash import BashEnv
from intercode_sandbox import images
from intercode_sandbox.docker.by_exec import DockerExecSandbox
from intercode_sandbox.docker.by_exec.engine import GROUP, CommandEngine
from intercode_sandbox.engine.cleanup import owned
from intercode_sandbox.engine.owner import is_dead
from intercode_sandbox.images import Image
from intercode_sandbox.images.container_layers import RecipeLayer
from intercode_sandbox.images.engine_store import LABEL
from intercode_sandbox.sandbox import Limits

PROGRAM = """
import sys
from intercode_sandbox import images
from intercode_sandbox.docker.by_exec import DockerExecSandbox
sandbox = DockerExecSandbox(engine=sys.argv[1])
session = sandbox.start(images.find("host"))
print(session.container, sandbox._reaper._popen.pid, flush=True)
session.run(["/bin/sleep", "1000"])
"""


def owners(engine: CommandEngine) -> dict[str, str]:
    """All containers that are some process's, and whose."""
    return {each.id: each.owner for each in owned(engine) if each.kind == "container"}


@pytest.fixture
def engine(docker_url: str) -> CommandEngine:
    return CommandEngine(docker_url)


@contextmanager
def program(url: str) -> Iterator[tuple[subprocess.Popen[str], str, int]]:
    """A program that is in the middle of a command, its container, and its reaper's process id."""
    command = [sys.executable, "-c", PROGRAM, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as popen:
        assert popen.stdout is not None
        container, reaper = popen.stdout.readline().split()
        yield popen, container, int(reaper)


def intercode(url: str, *words: str) -> str:
    """What the program prints."""
    command = [sys.executable, "-m", "intercode", *words]
    env = {**os.environ, "DOCKER_HOST": url}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False).stdout


def removed(url: str) -> list[dict[str, str]]:
    """What the doctor removes at the engine; control groups may be those of other tests' programs."""
    found = json.loads(intercode(url, "doctor", "--clean", "--json"))["removed"]
    return [each for each in found if each["kind"] != "control group"]


def becomes(is_so: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_program_that_is_ended_leaves_no_container(docker_url: str, engine: CommandEngine, number: int) -> None:
    """Not even by `kill -9`."""
    with program(docker_url) as (popen, container, _):
        assert engine.is_running(container)
        popen.send_signal(number)
    assert becomes(lambda: container not in owners(engine))


def test_what_is_left_where_the_reaper_is_killed_too_is_removed_by_the_doctor(
    docker_url: str, engine: CommandEngine
) -> None:
    with program(docker_url) as (popen, container, reaper):
        os.kill(reaper, signal.SIGKILL)
        assert not is_dead(owners(engine)[container])
        assert removed(docker_url) == []
        popen.kill()
    assert is_dead(owners(engine)[container])
    assert "intercode doctor --clean" in intercode(docker_url, "doctor")
    assert removed(docker_url) == [{"kind": "container", "id": container}]
    assert container not in owners(engine)


def test_closing_one_sandbox_leaves_the_others_containers(docker_url: str, engine: CommandEngine) -> None:
    with DockerExecSandbox(engine=docker_url) as stays:
        session = stays.start(images.find("host"))
        with DockerExecSandbox(engine=docker_url) as goes:
            gone = goes.start(images.find("host"))
        assert not engine.is_running(gone.container)
        assert session.run(["/bin/echo", "here"]).text == "here\n"
    assert not {session.container, gone.container} & owners(engine).keys()


END_PROCESS_1 = """
prlimit --pid 1 --as=4096 --cpu=1  # it tries again and again to start what it cannot, until its time is up
for each in /proc/[0-9]*; do
    read -r pid name _ parent _ < $each/stat
    [ "$parent$name" = "1(sleep)" ] && kill -9 $pid
done
sleep 300
"""


def test_a_session_that_ends_its_own_process_1_is_to_blame(docker_url: str) -> None:
    """Else an agent could turn its failures into the machine's. What it writes in its commands changes nothing."""
    with DockerExecSandbox(engine=docker_url) as sandbox, sandbox.start(images.find("host")) as session:
        session.kill()  # ours, before it was started again
        session.run(["/bin/bash", "-c", f"true '\nkill\nstart\n'; {END_PROCESS_1}"], timeout=200)
        with pytest.raises(SessionLostError):
            session.run(["/bin/true"])


def test_whoever_else_ends_a_container_is_to_blame(docker_url: str, engine: CommandEngine) -> None:
    with DockerExecSandbox(engine=docker_url) as sandbox, sandbox.start(images.find("host")) as session:
        engine.call("from outside", "kill", session.container)
        with pytest.raises(SandboxGoneError) as caught:
            session.run(["/bin/true"])
        assert not isinstance(caught.value, SessionLostError)


def test_no_network_is_given_to_who_asks_for_one() -> None:
    with pytest.raises(UserError, match="docker sandbox gives none"):
        DockerExecSandbox(limits=Limits(network="allow"))


@needs_command
def test_without_an_engine_the_reason_is_said() -> None:
    with (
        DockerExecSandbox(engine="unix:///nowhere/socket") as sandbox,
        pytest.raises(SandboxError, match=r"container engine.*intercode doctor"),
    ):
        sandbox.start(images.find("host"))


def test_a_recipe_is_built_by_the_engine(docker_url: str, engine: CommandEngine) -> None:
    """As the images `host`, `debian` and so on are where this is no Linux."""
    engine.load("intercode-tests/recipe:1", [small_root.archive()], {"purpose": "tests"})
    layer = RecipeLayer("FROM intercode-tests/recipe:1\nENV WORD=known\nRUN echo built > /made\n", "a recipe")
    with DockerExecSandbox(engine=docker_url) as sandbox, sandbox.start(Image("recipe", (layer,))) as session:
        assert session.run(["/bin/bash", "-c", "cat /made; echo $WORD"]).text == "built\nknown\n"
        session.write("/made", b"changed\n")
        (change,) = session.changes()
        assert change.path == "/made"


def test_an_agent_finds_no_gold_and_no_label_of_ours_in_its_container(docker_url: str) -> None:
    data = datasets.load("starter")
    gold = data[0].gold
    assert gold
    with DockerExecSandbox(engine=docker_url) as sandbox, BashEnv(data, sandbox=sandbox) as env:
        env.reset(options={"task": 0})
        look = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' '\\n'; env"
        shown = env.step(look)[0]
    assert "sleep" in shown  # of process 1
    assert not [word for word in (gold, GROUP, LABEL) if word in shown]


OTHER_SYSTEM = Path(__file__).parents[1] / "cli/other_system.py"


@pytest.fixture
def on(docker_url: str, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the program as if on another system, where an engine's command is found under its name there."""
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "docker.exe").symlink_to(str(shutil.which("docker")))
    env = {**os.environ, "DOCKER_HOST": docker_url, "PATH": f"{bin}:{os.environ['PATH']}"}

    def run(system: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, OTHER_SYSTEM, system, *words]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize("system", ["Darwin", "Windows"])
def test_on_other_systems_it_is_the_default_and_plays_bash_tasks(
    on: Callable[..., subprocess.CompletedProcess[str]], engine: CommandEngine, system: str, tmp_path: Path
) -> None:
    base = engine.load("intercode-tests/other:1", [small_root.archive()], {"purpose": "tests"})
    done = on(system, "run", "--limit", "1", "--image", f"docker:{base}", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "sandbox docker" in done.stdout
    assert "100.0%" in on(system, "report", tmp_path / "run").stdout
    checks = {each["name"]: each for each in json.loads(on(system, "doctor", "--json").stdout)}
    assert checks["docker"]["ok"]
    assert checks["embedded"]["ok"] is None
    assert "nothing to remove" in on(system, "doctor", "--clean").stdout
