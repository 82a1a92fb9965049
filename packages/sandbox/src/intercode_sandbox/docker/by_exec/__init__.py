"""Containers in a virtual machine or on another host: nothing on this side needs Linux."""

from intercode_sandbox.docker.by_exec.sandbox import DockerExecSandbox

__all__ = ["DockerExecSandbox"]
