"""Engines that would run containers without limits are not used: what is promised is held, or the reason is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from docker_command import needs_command
from engine_without_limits import engine_without_limits

from intercode_sandbox.docker import DockerSandbox, container
from intercode_sandbox.docker.engine import Engine
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import find
from intercode_sandbox.sandbox import Limits

SILENT = {"MemoryLimit": True, "PidsLimit": True, "CgroupVersion": "2"}
ROOTLESS = {**SILENT, "CgroupVersion": "1", "Rootless": True, "BuildahVersion": "1.28.2"}
WANTED = {"Image": "some", "HostConfig": {"Memory": 1 << 26, "PidsLimit": 20}}


@needs_command
@pytest.mark.parametrize(
    ("facts", "why", "made"),
    [
        ({**SILENT, "PidsLimit": False}, "it has no PidsLimit", 0),
        (ROOTLESS, "rootless, on version 1 of control groups", 0),
        (SILENT, "it left out Memory and PidsLimit", 1),
    ],
)
def test_an_engine_that_holds_no_limits_is_refused_and_keeps_no_container(
    tmp_path: Path, facts: dict[str, Any], why: str, made: int
) -> None:
    """Told by what it says of itself, or by what became of the first container."""
    with engine_without_limits(tmp_path / "socket", facts) as server:
        engine = Engine(server.url)
        with pytest.raises(SandboxError, match=rf"holds no limits .* \({why}\).*--sandbox embedded"):
            engine.create("mine", WANTED)
        engine.close()
        assert (server.made, server.containers) == (made, set())


@needs_command
def test_what_never_runs_needs_no_limits(tmp_path: Path) -> None:
    """Containers that are only looked into, or filled."""
    with engine_without_limits(tmp_path / "socket", SILENT) as server:
        engine = Engine(server.url)
        assert engine.create("mine", {"Image": "some"}) == "c0ffee"
        engine.close()


def test_a_file_has_its_limit_where_the_engine_forgets_it(docker_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Podman without root takes the limit on a file's size and does not set it: process 1 does so itself."""
    monkeypatch.setattr(container, "_limits", lambda disk: [])
    limits = Limits(disk=8 << 20)
    with DockerSandbox(engine=docker_url, ahead=0) as sandbox, sandbox.start(find("host"), limits=limits) as session:
        result = session.run(["/bin/bash", "-c", "ulimit -Hf; head -c 32M /dev/zero > /tmp/big; echo $?"])
        assert result.text.split()[-1] == "153", result.text
        assert len(session.read("/tmp/big", limit=32 << 20)) <= limits.disk
