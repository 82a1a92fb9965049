"""The official image in Docker: here one that behaves like it, in an engine of our own where none is running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from intercode.errors import DatabaseError
from intercode.testing.database_fixtures import contract_source, rows, run_successfully
from intercode.types.databases import DatabaseSource
from intercode.worlds.sql.databases.mysql import MysqlDatabase, server_program
from intercode_sandbox.util import paths
from worlds.sql.databases.server_image import archive

engines = pytest.importorskip("intercode_sandbox.testing.docker_engine", reason="needs a Docker engine to test with")
docker_errors = pytest.importorskip("docker.errors", reason="needs Docker's own Python package")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def docker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client of an engine, which DOCKER_HOST names."""
    with pytest.MonkeyPatch.context() as patch:
        try:
            with engines.DockerEngine() as engine:
                patch.setenv("DOCKER_HOST", engine.url)
                client = engine.client()
                yield client
                client.close()
        except engines.NoDockerEngine as reason:
            pytest.skip(str(reason))


@pytest.fixture(scope="module")
def image(docker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        data = archive(server_program.find(), tmp_path_factory.mktemp("image"))
    except DatabaseError as error:
        pytest.skip(str(error))
    said = docker.api.import_image_from_data(data, changes=['ENTRYPOINT ["/bin/sh", "/entrypoint"]'])
    made = str(json.loads(said)["status"])
    yield made
    with suppress(docker_errors.ImageNotFound):  # one without a name goes with its last child
        docker.images.remove(made, force=True)


@pytest.fixture
def source(tmp_path: Path) -> DatabaseSource:
    return contract_source(tmp_path)


def running(docker: Any) -> int:
    """How many of our containers there are; one that goes while we look does not count."""
    ours = {"label": "intercode=database"}
    return len(docker.containers.list(all=True, filters=ours, ignore_removed=True))


def test_a_server_in_docker_serves_and_goes(docker: Any, image: str, source: DatabaseSource) -> None:
    """It is reached although the image begins with another server, and nothing of it is left."""
    with MysqlDatabase(url=f"docker:{image}") as database:
        with database.open(source, "shop") as session:
            run_successfully(session, "DELETE FROM orders")
            assert rows(session, "SELECT COUNT(*) FROM orders") == [(0,)]
        with database.open(source, "shop") as session:
            assert rows(session, "SELECT COUNT(*) FROM orders") == [(3,)]
        assert running(docker) == 1
    assert running(docker) == 0


def test_processes_of_a_run_share_a_container(
    docker: Any, image: str, source: DatabaseSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MysqlDatabase(url=f"docker:{image}") as parent:
        parent.share([source], tmp_path)
        monkeypatch.setenv(paths.SHARED, str(tmp_path))
        with MysqlDatabase(url=f"docker:{image}") as worker, worker.open(source, "shop") as session:
            run_successfully(session, "DELETE FROM orders")
            assert rows(session, "SELECT COUNT(*) FROM orders") == [(0,)]
            assert running(docker) == 1
        with parent.open(source, "shop") as session:
            assert rows(session, "SELECT COUNT(*) FROM orders") == [(3,)]
    assert running(docker) == 0


PROGRAM = """
import sys, time
from intercode.worlds.sql.databases.mysql import MysqlDatabase
print(MysqlDatabase(url="docker:" + sys.argv[1]).version(), flush=True)
time.sleep(60)
"""


def test_a_container_goes_when_we_are_killed(docker: Any, image: str) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM, image], stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline()
        assert running(docker) == 1
        os.kill(process.pid, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while running(docker) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running(docker) == 0


def test_an_image_without_a_server_is_told(docker: Any, image: str) -> None:
    """With what it printed, and nothing of it is left."""
    container = docker.containers.create(image, [], entrypoint=["/bin/sh", "-c", "echo no server here"])
    other = container.commit(changes='ENTRYPOINT ["/bin/sh", "-c", "echo no server here"]').id
    container.remove()
    with MysqlDatabase(url=f"docker:{other}") as database, pytest.raises(DatabaseError, match="no server here"):
        database.version()
    assert running(docker) == 0
    docker.images.remove(other, force=True)
