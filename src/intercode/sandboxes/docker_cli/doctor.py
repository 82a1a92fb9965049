"""What the docker-cli sandbox needs of this machine: a command, and an engine that answers it."""

from __future__ import annotations

from collections.abc import Iterator

from intercode.errors import SandboxError
from intercode.machine_check import Check
from intercode.operating_system import is_linux
from intercode.sandboxes.docker_cli import engine_errors
from intercode.sandboxes.docker_cli.cleanup import find_leftovers
from intercode.sandboxes.docker_cli.engine import CommandEngine

INSTALL = "install Docker Desktop (https://docs.docker.com/desktop) or Podman Desktop, and start it"


def checks() -> Iterator[Check]:
    """All findings. Leaves nothing behind. Where there is another sandbox, lacks are notes."""
    lack = None if is_linux() else False
    try:
        engine = CommandEngine()
        version = engine.version()
        left = find_leftovers(engine)
    except SandboxError as error:
        said = str(error).splitlines()[-1].removesuffix(engine_errors.HINT)
        yield Check("docker-cli", lack, said, "" if is_linux() else INSTALL)
        return
    yield Check("docker-cli", True, version)
    if left:
        yield Check("leftovers", None, f"{len(left)} containers of dead programs", "intercode doctor --clean")
