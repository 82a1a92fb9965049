"""Containers of an engine, Docker or Podman, reached by nothing but its command.

On Linux our own runner is process 1 of each. Elsewhere the engine is in a virtual machine, into which no descriptor can
be handed: there commands go by `docker exec`, and less is promised.
"""

from typing import TYPE_CHECKING

from intercode_sandbox.util.operating_system import is_linux

if TYPE_CHECKING or is_linux():
    from intercode_sandbox.docker.sandbox import DockerSandbox
else:
    from intercode_sandbox.docker.by_exec.sandbox import DockerExecSandbox as DockerSandbox

__all__ = ["DockerSandbox"]
