"""Commands run on this machine without isolation."""

from intercode_sandbox.local.sandbox import LocalSandbox

__all__ = ["LocalSandbox"]
