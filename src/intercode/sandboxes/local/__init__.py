"""Commands run on this machine without isolation."""

from intercode.sandboxes.local.sandbox import LocalSandbox

__all__ = ["LocalSandbox"]
