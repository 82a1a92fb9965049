"""Containers of an engine: Docker, or Podman over its compatible socket."""

from intercode.sandboxes.docker.sandbox import DockerSandbox

__all__ = ["DockerSandbox"]
