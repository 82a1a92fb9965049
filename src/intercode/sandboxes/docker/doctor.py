"""What the docker sandbox needs of this machine. Nothing of it is needed by the embedded one: lacks are notes."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from intercode.errors import IntercodeError, SandboxError
from intercode.machine_check import Check
from intercode.sandboxes.docker.cleanup import find_leftovers
from intercode.sandboxes.docker.container import runner_fault
from intercode.sandboxes.docker.engine import Engine
from intercode.sandboxes.docker.engine_errors import NO_PACKAGE
from intercode.sandboxes.docker.layer_folders import why_unreadable
from intercode.sandboxes.images.builders import builder
from intercode.system_packages import install_command

OPTIONAL = "only --sandbox docker needs it"


def checks() -> list[Check]:
    """All findings about containers. Leaves nothing behind."""
    return [_builder(), *_engine()]


def _builder() -> Check:
    try:
        program = builder().program
    except IntercodeError as error:
        why = f"images of containers cannot be used: {error}"
        return Check("image builder", None, why, install_command("podman"))
    return Check("image builder", True, f"{program} (for --image FOLDER with a Dockerfile, or docker:NAME@sha256:…)")


def _engine() -> Iterator[Check]:
    if find_spec("docker") is None:
        yield Check("docker", None, f"{OPTIONAL}: {NO_PACKAGE.partition(':')[0]}", NO_PACKAGE.partition(": ")[2])
        return
    if fault := runner_fault():
        yield Check("docker", None, fault, "pip install --force-reinstall .")
        return
    try:
        engine = Engine()
    except SandboxError as error:
        why, _, way_out = str(error).partition(": ")
        yield Check("docker", None, f"{OPTIONAL}: {why}", way_out)
        return
    try:
        yield from _looked_at(engine)
    finally:
        engine.close()


def _looked_at(engine: Engine) -> Iterator[Check]:
    if engine.why_no_limits:
        fix = "control groups must be on: systemd with version 2 of them, or an engine that root runs"
        finding = f"{engine.describe()}; it holds no limits on memory and processes: {engine.why_no_limits}"
        yield Check("docker", None, finding, fix)
    elif reason := why_unreadable(engine.facts):
        yield Check("docker", True, f"{engine.describe()}; files are compared by walking through all of them: {reason}")
    else:
        yield Check("docker", True, engine.describe())
    left = find_leftovers(engine)
    if left:
        yield Check(
            "leftovers", None, f"{len(left)} containers and images of dead programs", "intercode doctor --clean"
        )
