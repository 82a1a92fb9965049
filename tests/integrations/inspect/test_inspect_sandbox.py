"""The provider in anybody's task: compose files, commands at once, limits, time-outs; nothing is left behind."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_solver, react
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState
from inspect_ai.tool import bash
from inspect_ai.util import OutputLimitExceededError, SandboxUserUnsupportedError, parse_compose_yaml, sandbox
from mock_models import call, model

from intercode.errors import BadDataError, ImageError, SandboxError, UserError
from intercode.integrations.inspect.config import IntercodeSandboxConfig, read_config
from intercode.integrations.inspect.image_names import find_image
from intercode.integrations.inspect.sandbox import IntercodeSandboxEnvironment as Provider
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images.builders import PROGRAMS
from intercode_sandbox.sandbox import Session

PLAIN = """
services:
  default:
    image: {image}
    init: true
    command: tail -f /dev/null
    network_mode: none
    working_dir: /work
    mem_limit: 512m
    environment:
      - GREETING=hello there
"""


@asynccontextmanager
async def fresh_session() -> AsyncIterator[Provider]:
    environments = await Provider.sample_init("test", None, {})
    try:
        yield environments["default"].as_type(Provider)
    finally:
        await Provider.sample_cleanup("test", None, environments, False)


@scorer(metrics=[accuracy()])
def file_says_hello() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1 if await sandbox().read_file("greeting") == "hello there\n" else 0)

    return score


BUILT = PLAIN.replace("image: {image}", "build: .").replace("    working_dir: /work\n", "")
RECIPE = 'FROM python:{version}-slim\nRUN python3 -c \'open("/srv/made", "w")\'\nWORKDIR /work\nCMD ["bash"]\n'


@pytest.fixture(scope="module")
def version() -> str:
    """Of the Python that programs in a sandbox find, as 3.12."""
    with EmbeddedSandbox() as made, made.start(images.find("host")) as session:
        return session.run(["python3", "-c", "import sys; print(*sys.version_info[:2], sep='.')"]).text.strip()


@pytest.fixture
def no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs of these names are found first, and do not work."""
    (tmp_path / "bin").mkdir()
    for name in PROGRAMS:
        (tmp_path / "bin" / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")


@pytest.mark.usefixtures("no_engine")
@pytest.mark.parametrize("compose", [PLAIN.format(image="python:{version}-slim"), BUILT, PLAIN.format(image="host")])
def test_a_task_for_docker_runs_by_changing_the_name(tmp_path: Path, compose: str, version: str) -> None:
    """Its tool, its file for the sample, its scorer: nothing else in it changes."""
    (tmp_path / "compose.yaml").write_text(compose.replace("{version}", version))
    (tmp_path / "Dockerfile").write_text(RECIPE.format(version=version))

    def play(messages: list[object]) -> object:
        said = [message for message in messages if message.role == "tool"]  # type: ignore[attr-defined]
        return (
            call("submit", answer="")
            if said
            else call("bash", command="cat given > /dev/null && echo $GREETING > greeting")
        )

    task = Task(
        dataset=[Sample("Greet.", files={"given": "a file of the sample's"})],
        solver=as_solver(react(tools=[bash(timeout=60)])),
        scorer=file_says_hello(),
        sandbox=("intercode", str(tmp_path / "compose.yaml")),
    )
    [log] = inspect_eval(task, model=model(play), display="none", log_dir=str(tmp_path))  # type: ignore[arg-type]
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1


def test_a_compose_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(PLAIN.format(image="debian:12-slim"))
    config = read_config(str(tmp_path / "compose.yaml"))
    assert (config.image, config.workdir, config.memory) == ("debian:12-slim", "/work", 512 << 20)
    assert config.env == {"GREETING": "hello there"}
    assert read_config(parse_compose_yaml(str(tmp_path / "compose.yaml"))) == config


@pytest.mark.usefixtures("no_engine")
def test_a_dockerfile_is_built_without_an_engine(tmp_path: Path, version: str) -> None:
    (tmp_path / "Dockerfile").write_text(RECIPE.format(version=version))
    image = read_config(str(tmp_path / "Dockerfile")).find_image()
    assert image.workdir == "/work"
    with EmbeddedSandbox() as made, made.start(image) as session:
        assert session.run(["ls", "/srv"]).text == "made\n"


@pytest.mark.usefixtures("no_engine")
def test_what_stands_in_for_an_image_has_to_be_as_it_says(tmp_path: Path) -> None:
    with EmbeddedSandbox() as made, pytest.raises(ImageError, match=r"Python 2\.7 is required by python:2\.7"):
        made.start(find_image("python:2.7"))
    (tmp_path / "Dockerfile").write_text("FROM debian:12\nADD https://example.org/x /x\n")
    with pytest.raises(BadDataError, match=r"line 2: .*build it with an engine"):
        find_image(str(tmp_path))
    with pytest.raises(ImageError, match="no container engine works here"):
        find_image("aisiuk/some-tools")


def test_a_network_is_given_as_it_is_asked_for() -> None:
    config = IntercodeSandboxConfig(network=("pypi.org",))
    assert config.limits(1000).network == ("pypi.org",)
    assert IntercodeSandboxConfig(network=True).limits(1000).network == "allow"
    with EmbeddedSandbox() as made, made.start(config.find_image(), limits=config.limits(1000)) as session:
        assert session.network_usage() is not None
    with (
        EmbeddedSandbox() as made,
        made.start(config.find_image(), limits=IntercodeSandboxConfig().limits(1)) as session,
    ):
        assert session.network_usage() is None


def test_images_are_known_by_dockers_names() -> None:
    for name in ("debian:12-slim", "debian:bookworm", "docker.io/library/debian:12", "debian:12.5"):
        assert find_image(name).digest == find_image("debian:bookworm").digest
    assert find_image("debian").digest == find_image("debian:trixie").digest
    assert find_image("ubuntu:22.04").digest == find_image("ubuntu:jammy").digest


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("privileged: true", "privileged"),
        ("volumes: ['/:/host']", "volumes"),
        ("cap_add: [SYS_ADMIN]", "cap_add"),
        ("ports: ['80:80']", "ports"),
        ("command: nginx", "no idle command"),
        ("network_mode: bridge", "no network of an engine's; write network_mode: none"),
        ("user: nobody", "user="),
        ("mem_limit: plenty", "512m or 2g"),
        ("build: {context: ., dockerfile: Other}", "called Dockerfile"),
    ],
)
def test_what_cannot_be_had_is_refused_in_words(lines: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(f"services:\n  default:\n    image: host\n    {lines}\n")
    with pytest.raises(UserError, match=words):
        read_config(str(tmp_path / "compose.yaml"))


def test_several_services_and_variables_are_refused(tmp_path: Path) -> None:
    for services in ("{a: {image: host}, b: {image: host}}", "{a: {image: '${SAMPLE_METADATA_IMAGE}'}}", "{a: {}}"):
        (tmp_path / "compose.yaml").write_text(f"services: {services}\n")
        with pytest.raises(UserError, match=r"one service|variables are not read"):
            read_config(str(tmp_path / "compose.yaml"))


def test_a_config_survives_a_log() -> None:
    config = IntercodeSandboxConfig(image="debian", memory=1 << 20)
    assert Provider.config_deserialize(config.model_dump()) == config


@pytest.mark.asyncio
async def test_commands_run_at_once() -> None:
    """Each ends only because the other runs."""
    async with fresh_session() as session:
        await session.exec(["mkfifo", "a", "b"])
        ended: dict[str, str] = {}

        async def run(name: str, script: str) -> None:
            ended[name] = (await session.exec(["sh", "-c", script], timeout=60)).stdout

        async with anyio.create_task_group() as group:
            group.start_soon(run, "first", "echo 1 > a; cat b")
            group.start_soon(run, "second", "cat a; echo 2 > b")
        assert ended == {"first": "2\n", "second": "1\n"}


@pytest.mark.asyncio
async def test_limits_are_inspects() -> None:
    async with fresh_session() as session:
        assert len((await session.exec(["head", "-c", str(10 << 20), "/dev/zero"])).stdout) == 10 << 20
        with pytest.raises(OutputLimitExceededError):
            await session.exec(["head", "-c", str((10 << 20) + 1), "/dev/zero"])
        await session.exec(["truncate", "-s", str((100 << 20) + 1), "large"])
        with pytest.raises(OutputLimitExceededError):
            await session.read_file("large", text=False)


@pytest.mark.asyncio
async def test_a_user_has_its_home_and_no_more() -> None:
    async with fresh_session() as session:
        await session.write_file("/etc/passwd", "root:x:0:0::/root:/bin/sh\nana:x:1234:1234::/home/ana:/bin/sh\n")
        said = await session.exec(["sh", "-c", "id -u; echo $HOME"], user="ana", cwd="/")
        assert said.stdout == "1234\n/home/ana\n"
        assert (
            await session.exec(["sh", "-c", "echo $HOME"], user="ana", cwd="/", env={"HOME": "/x"})
        ).stdout == "/x\n"
        with pytest.raises(SandboxUserUnsupportedError):
            await session.exec(["id"], user="no:such:user")


@pytest.mark.asyncio
async def test_nothing_is_left_of_a_sample() -> None:
    async with fresh_session() as session:
        environments = await Provider.sample_init("test", None, {})
        with anyio.move_on_after(0.5):
            await environments["default"].exec(["sleep", "600"])
        await Provider.sample_cleanup("test", None, environments, True)
        with pytest.raises(Exception, match="closed"):
            await environments["default"].exec(["true"])
        assert (await session.exec(["echo", "fine"])).stdout == "fine\n"


BEGINNINGS: dict[str, Callable[[], Awaitable[object]]] = {
    "sample": lambda: Provider.sample_init("test", None, {}),
    "task": lambda: Provider.task_init("test", None),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("beginning", BEGINNINGS)
async def test_a_session_that_starts_after_its_caller_was_cancelled_is_closed(
    beginning: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Session] = []
    usual, begins, may_start = EmbeddedSandbox.start, threading.Event(), threading.Event()

    def start(*arguments: Any, **options: Any) -> Session:
        begins.set()
        may_start.wait(60)
        started.append(usual(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(EmbeddedSandbox, "start", start)
    scope = anyio.CancelScope()

    async def begin() -> None:
        with scope:
            await BEGINNINGS[beginning]()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(begin)
        assert await anyio.to_thread.run_sync(begins.wait, 60)
        scope.cancel()
    assert scope.cancelled_caught
    may_start.set()
    with anyio.fail_after(60), pytest.raises(SandboxError):
        await use_for_ever(started)


async def use_for_ever(sessions: list[Session]) -> None:
    while True:
        for each in sessions:
            each.run(["true"])
        await anyio.sleep(0.05)


ANSWER = ModelOutput.from_content("mockllm/model", "done")
ANSWER.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
NAMED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.util import sandbox


@scorer(metrics=[accuracy()])
def runs():
    async def score(state, target):
        return Score(value=int((await sandbox().exec(["echo", "hello"])).stdout == "hello\\n"))

    return score


@task
def named():
    return Task(dataset=[Sample("Greet.")], scorer=runs(), sandbox=("intercode", "host"))


@task
def named_by_the_sample():
    return Task(dataset=[Sample("Greet.", sandbox=("intercode", "host"))], scorer=runs())
"""


@pytest.mark.parametrize("name", ["named", "named_by_the_sample"])
@pytest.mark.parametrize("place", [".", "elsewhere"])
def test_a_task_names_an_image_as_the_documentation_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, place: str
) -> None:
    """Inspect hands over a path in the folder of the task, wherever it is started."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "task.py").write_text(NAMED)
    monkeypatch.chdir(tmp_path / place)
    tasks = f"{tmp_path / 'task.py'}@{name}"
    [log] = inspect_eval(tasks, model=model(lambda messages: ANSWER), display="none", log_dir=str(tmp_path / "logs"))
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1


def test_names_of_images_are_read_out_of_the_paths_that_inspect_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "root").mkdir()
    for name in ("host", "debian:bookworm", "ubuntu", "ghcr.io/some/tools:1.0", f"docker:a/b@sha256:{'a' * 64}"):
        assert read_config(str(tmp_path / name)).image == name
    assert read_config(str(tmp_path / "root")).image == str(tmp_path / "root")
    monkeypatch.chdir("/")
    assert read_config(str(tmp_path / "other" / "debian:trixie")).image == "debian:trixie"


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", ["", ">&2"])
async def test_what_was_printed_before_a_time_out_comes_with_it(stream: str) -> None:
    """Under the name that Inspect reads."""
    async with fresh_session() as session:
        with pytest.raises(TimeoutError) as caught:
            await session.exec(["bash", "-c", f"echo so far {stream}; sleep 600"], timeout=1)
        assert getattr(caught.value, "truncated_output", None) == "so far\n"
        assert (await session.exec(["echo", "alive"])).stdout == "alive\n"


@pytest.mark.asyncio
async def test_processes_that_are_left_behind_and_leave_room_go_on() -> None:
    async with fresh_session() as session:
        said = await session.exec(["bash", "-c", "sleep 600 & echo started"])
        assert (said.stdout, said.stderr) == ("started\n", "")
        assert (await session.exec(["pgrep", "-c", "sleep"])).stdout == "1\n"


TAKEN = "nearly all of the 200 processes of this session were taken, so what ran in it was ended\n"
BOMBS = {
    "pipe": ":(){ :|:& };:; sleep 1",
    "loop": "b() { while :; do (b &) ; done; }; b & b & sleep 1",
    "silent": "exec 2> /dev/null; :(){ :|:& };:; sleep 1",
}


@pytest.mark.asyncio
@pytest.mark.parametrize("bomb", BOMBS)
async def test_after_a_bomb_of_processes_commands_run_again_and_it_is_told(bomb: str) -> None:
    config = IntercodeSandboxConfig(processes=200)
    environments = await Provider.sample_init("test", config, {})
    session = environments["default"].as_type(Provider)
    try:
        said = await session.exec(["bash", "-c", BOMBS[bomb]], timeout=60)
        assert said.stderr.rpartition("intercode: ")[2] == TAKEN
        for command in ("ls / | head -1", "touch /root/new; echo status=$?", "python3 -c 'print(1)'"):
            said = await session.exec(["bash", "-c", command], timeout=60)
            assert (said.success, said.stderr) == (True, "")
    finally:
        await Provider.sample_cleanup("test", config, environments, False)
