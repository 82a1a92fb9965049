"""The embedded sandbox: bubblewrap outside, a zygote and runners written in C inside."""

from intercode_sandbox.util.linux import require_linux

require_linux("embedded")  # before what other systems cannot even import

from intercode_sandbox.embedded.sandbox import EmbeddedSandbox  # noqa: E402

__all__ = ["EmbeddedSandbox"]
