"""Descriptors beyond 1024, which `select()` refuses: a run with many sessions has them."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import closing

import pytest

from intercode.worlds.sql.databases.mysql.server_directory import DirectoryProcess, ServerDirectory
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Sandbox
from intercode_sandbox.util.polling import readable, writable

BEYOND = 1024


@pytest.fixture
def crowded() -> Iterator[None]:
    """All descriptors below 1024 and some more are taken."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * BEYOND)), hard))
    opened = [os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)]
    while opened[-1] <= BEYOND:
        opened.append(os.dup(opened[0]))
    yield
    for descriptor in opened:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_pipes_are_waited_for(crowded: None) -> None:
    reading, writing = os.pipe()
    assert reading > BEYOND
    assert not readable(reading, 0)
    assert writable(writing, 0)
    os.write(writing, b"x")
    assert readable(reading, 10)
    os.read(reading, 1)
    os.close(writing)
    assert readable(reading, 10), "its end"
    os.close(reading)


@pytest.mark.parametrize("kind", ["embedded", "local"])
def test_a_command_that_stays_is_heard(kind: str, crowded: None) -> None:
    sandbox: Sandbox = EmbeddedSandbox() if kind == "embedded" else LocalSandbox(i_know_this_is_unsafe=True)
    with sandbox, sandbox.start(images.find("host")) as session, closing(session.open(["cat"])) as process:
        process.send(b"hello")
        assert process.receive(20) == b"hello"


def test_a_database_server_is_watched(crowded: None) -> None:
    server = DirectoryProcess(ServerDirectory(), ["sleep", "600"])
    assert server.alive
    assert not server.wait(0)
    server.close()
