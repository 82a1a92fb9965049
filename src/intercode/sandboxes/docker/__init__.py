"""Containers of an engine: Docker, or Podman over its compatible socket."""

from intercode.sandboxes.core.linux import require_linux

require_linux("docker")  # it shares folders and descriptors with its containers

from intercode.sandboxes.docker.sandbox import DockerSandbox  # noqa: E402

__all__ = ["DockerSandbox"]
