"""The embedded sandbox: bubblewrap outside, a zygote and runners written in C inside."""

from intercode.sandboxes.embedded.sandbox import EmbeddedSandbox

__all__ = ["EmbeddedSandbox"]
