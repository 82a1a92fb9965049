"""What the docker sandbox needs of this machine. On Linux there is the embedded one, so lacks are notes."""

from __future__ import annotations

from collections.abc import Iterator

from intercode_sandbox.docker.engine import Engine, connect
from intercode_sandbox.engine.cleanup import find_leftovers
from intercode_sandbox.engine.command import Command
from intercode_sandbox.engine.errors import HINT
from intercode_sandbox.errors import IntercodeError, SandboxError
from intercode_sandbox.images.builders import builder
from intercode_sandbox.runner import compiled
from intercode_sandbox.util.machine_check import Check
from intercode_sandbox.util.operating_system import is_linux
from intercode_sandbox.util.system_packages import install_command

ENGINE = "container engine"
"""What is lacking, where that is all."""

INSTALL = "install Docker Desktop (https://docs.docker.com/desktop) or Podman Desktop, and start it"


def checks() -> Iterator[Check]:
    """Yield all findings about containers. Leaves nothing behind."""
    if not is_linux():
        yield from _command()
        return
    yield from _engine()
    yield _builder()


def _builder() -> Check:
    try:
        program = builder().program
    except IntercodeError as error:
        fix = install_command("podman")
        return Check("image builder", None, str(error), fix, ENGINE, "images of containers")
    return Check("image builder", True, f"{program} (for --image FOLDER with a Dockerfile, or docker:NAME@sha256:…)")


def _command() -> Iterator[Check]:
    try:
        engine = Command()
        version = engine.version()
    except SandboxError as error:
        said = str(error).splitlines()[-1].removesuffix(HINT)
        yield Check("docker", False, said, INSTALL, ENGINE, "--sandbox docker")
        return
    yield Check("docker", True, version)
    yield from _leftovers(engine)


def _engine() -> Iterator[Check]:
    from intercode_sandbox.docker.container import runner_fault  # of Linux

    if fault := runner_fault():
        yield Check("docker", None, fault, compiled.INSTALL)
        return
    try:
        engine = connect()
    except SandboxError as error:
        why, _, way_out = str(error).rpartition(": ")
        yield Check("docker", None, why, way_out, ENGINE, "--sandbox docker")
        return
    try:
        yield _described(engine)
        yield from _leftovers(engine)
    finally:
        engine.close()


def _described(engine: Engine) -> Check:
    from intercode_sandbox.docker.layer_folders import why_unreadable  # of Linux

    if engine.why_no_limits:
        fix = "control groups must be on: systemd with version 2 of them, or an engine that root runs"
        finding = f"{engine.describe()}; it holds no limits on memory and processes: {engine.why_no_limits}"
        return Check("docker", None, finding, fix)
    if reason := why_unreadable(engine.facts):
        walked = f"{engine.describe()}; files are compared by walking through all of them: {reason}"
        return Check("docker", True, walked)
    return Check("docker", True, engine.describe())


def _leftovers(engine: Command) -> Iterator[Check]:
    if left := find_leftovers(engine):
        what = f"{len(left)} containers and images of dead programs"
        yield Check("leftovers", None, what, "intercode doctor --clean")
