"""Plain `bwrap` for each command: namespaces of its own, the host read-only, the tree writable."""

from __future__ import annotations

from benchmarks.bare_bash import BareBash

OPTIONS = (
    *("--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/"),
    *("--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
)


class BubblewrapEach(BareBash):
    """No limits on memory or processes, and no filter of system calls."""

    name = "bwrap for each command"

    def argv(self, command: str) -> list[str]:
        return ["bwrap", *OPTIONS, "--bind", str(self.folder), str(self.folder), "bash", "-c", command]
