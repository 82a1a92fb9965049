"""Containers by the command `docker` (or `podman`): nothing on this side needs Linux."""

from intercode.sandboxes.docker_cli.sandbox import DockerCliSandbox

__all__ = ["DockerCliSandbox"]
