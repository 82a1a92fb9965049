"""The provider in anybody's task: compose files, commands at once, limits, time-outs; nothing is left behind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_solver, react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState
from inspect_ai.tool import bash
from inspect_ai.util import OutputLimitExceededError, SandboxUserUnsupportedError, parse_compose_yaml, sandbox
from mock_models import call, model

from intercode.errors import UserError
from intercode.integrations.inspect.config import IntercodeSandboxConfig, find_image, read_config
from intercode.integrations.inspect.sandbox import IntercodeSandboxEnvironment as Provider

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


def test_a_task_for_docker_runs_by_changing_the_name(tmp_path: Path) -> None:
    """Its tool, its file for the sample, its scorer: nothing else in it changes."""
    (tmp_path / "compose.yaml").write_text(PLAIN.format(image="host"))

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


def test_images_are_known_by_dockers_names() -> None:
    for name in ("debian:12-slim", "debian:bookworm", "docker.io/library/debian:12", "debian"):
        assert find_image(name).digest == find_image("debian:bookworm").digest
    assert find_image("ubuntu:22.04").digest == find_image("ubuntu:jammy").digest


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("privileged: true", "privileged"),
        ("volumes: ['/:/host']", "volumes"),
        ("cap_add: [SYS_ADMIN]", "cap_add"),
        ("ports: ['80:80']", "ports"),
        ("command: nginx", "no idle command"),
        ("network_mode: bridge", "no network"),
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
