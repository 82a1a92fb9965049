"""The docker sandbox where layers cannot be read: by an ordinary user in the engine's group, and on Podman's socket.

A part of the contract, as much as is about files, snapshots and ends; all of it with `--conformance=whole`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from intercode_sandbox import images
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.docker.disk_monitor import usage_from_inside
from intercode_sandbox.docker.engine import Engine, connect
from intercode_sandbox.images.engine_store import LABEL
from intercode_sandbox.images.tar_archives import TarMember, pack
from intercode_sandbox.testing.docker_engine import DockerEngine, NoDockerEngine
from podman_service import missing as podman_missing
from podman_service import podman_service
from unprivileged import FIRST_USER, REPOSITORY, missing, run_tests

CONTRACT = "packages/sandbox/tests/test_docker_contract.py"
PART = "same_size or deleted_folder or made_anew or too_deep or do_not_see_each_other or outlives_its_session"
BESIDE = "alive or kill_ends or outlives_close or ends_its_sessions or kills_what or in_the_background"
"""What looks for processes of containers on the machine: the ordinary user's tests have a process namespace apart."""

PROCESSES = "packages/sandbox/tests/security/test_processes.py"
OF_PODMAN = "(docker and oom)"
DEEP = "cd /tmp; for i in $(seq 30); do mkdir $(printf d%.0s {1..200}) && cd d* || exit; done"


@pytest.fixture
def selection(request: pytest.FixtureRequest) -> list[str]:
    wanted = "" if request.config.getoption("--conformance") == "whole" else f"({PART}) and "
    return ["-q", "-p", "no:cacheprovider", CONTRACT, "-k", f"{wanted}not ({BESIDE})"]


@pytest.fixture(scope="module")
def podman() -> Iterator[str]:
    if reason := podman_missing():
        pytest.skip(reason)
    with podman_service() as address:
        yield address


def test_an_ordinary_user_in_the_engines_group_has_the_docker_sandbox(selection: list[str]) -> None:
    if reason := missing(subordinate=False):
        pytest.skip(reason)
    try:
        with DockerEngine() as engine:
            if not engine.private:
                pytest.skip("the engine that runs here is somebody's: its socket is not ours to give to a group")
            socket = Path(engine.url.removeprefix("unix://"))
            socket.parent.chmod(0o711)
            group = FIRST_USER - 1
            os.chown(socket, 0, group)
            socket.chmod(0o660)
            outcome = run_tests(selection, subordinate=False, groups=[group], environment={"DOCKER_HOST": engine.url})
    except NoDockerEngine as error:
        pytest.skip(str(error))
    assert outcome.exit_code == 0, outcome.text[-20000:]


def test_podmans_socket_has_it_too(selection: list[str], podman: str) -> None:
    """With process 1 out of reach, for which Podman must be told in words of its own what is read-only."""
    *options, chosen = selection
    command = [sys.executable, "-m", "pytest", *options, f"({chosen}) or {OF_PODMAN}", PROCESSES]
    environment = {**os.environ, "DOCKER_HOST": podman}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-2000:]


def test_podman_unpacks_archives_with_much_after_their_end(podman: str, tmp_path: Path) -> None:
    """More than a pipe holds: its helper stops reading at the end, and whoever still writes to that is told of it."""
    padded = tmp_path / "layer.tar"
    padded.write_bytes(pack([TarMember("etc/made", 0o644, 1, b"here")]) + bytes(1 << 20))
    with never_started(podman) as (engine, container):
        engine.unpack(container, padded)
        assert engine.changed(container) == ["/etc", "/etc/made"]


def test_podman_keeps_an_image_that_outlives_its_maker(podman: str) -> None:
    """It takes labels in words of its own: with the container's it would go with that one's process."""
    with never_started(podman) as (engine, container):
        image = engine.commit(container, labels={LABEL: "", "title": 'a $5 "layer"'})
        assert engine.image(image)["Config"]["Labels"][LABEL] == ""


def test_podman_is_not_kept_from_counting_by_folders_too_deep_for_paths(podman: str) -> None:
    """It cannot say then what else has been written: that they are too deep is enough for a session to be stopped."""
    with DockerSandbox(engine=podman, ahead=0) as sandbox, sandbox.start(images.find("host")) as session:
        session.run(["/bin/bash", "-c", DEEP], timeout=60)
        assert usage_from_inside(session.container).exceeds(session.limits)


@contextmanager
def never_started(podman: str) -> Iterator[tuple[Engine, str]]:
    """A container with an empty folder and this process's label."""
    engine = connect(podman)
    empty = engine.load("intercode-tests/empty:1", [pack([TarMember("etc", 0o755, 1)])], {"purpose": "tests"})
    container = engine.create_idle("intercode-tests-unstarted", empty)
    yield engine, container
    engine.remove(container)
    engine.close()
