"""Sessions of another process: a server that holds a sandbox, and a client that is one."""

from intercode_sandbox.remote.client import RemoteSandbox, RemoteSession
from intercode_sandbox.remote.server import SandboxServer

__all__ = ["RemoteSandbox", "RemoteSession", "SandboxServer"]
