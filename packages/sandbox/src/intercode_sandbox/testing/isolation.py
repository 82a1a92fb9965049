"""The part of the sandbox contract that only sandboxes with walls can keep; `local` says why it cannot."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE, Popen
from typing import ClassVar
from uuid import uuid4

import pytest

from intercode_sandbox.errors import UserError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox, Session
from intercode_sandbox.testing.fixtures import added_paths, need, sh
from intercode_sandbox.testing.patience import patience

SMALL = Limits(seconds=30, memory=64 << 20, processes=30, disk=8 << 20, inodes=200)


class SandboxIsolationTests:
    """See `SandboxContract`."""

    no_walls: ClassVar[str] = ""
    """Why absolute paths and other processes of the machine are in reach; empty for a sandbox with walls."""

    no_limits: ClassVar[str] = ""
    """Why memory, processes and disk are not limited; empty where they are."""

    no_count: ClassVar[str] = ""
    """Why the number of files has no exact limit; empty where it has."""

    no_order: ClassVar[str] = ""
    """Why directories cannot be read in another order; empty where they can."""

    def test_the_root_is_its_own(self, session: Session) -> None:
        """Absolute paths are the session's, and what is written there stays there."""
        need(self.no_walls)
        assert session.run(["/bin/cat", "/data/plain.txt"]).output == b"plain\n"
        name = f"contract-{os.getpid()}"
        session.run(["/bin/bash", "-c", f"echo x > /tmp/{name}; mkdir /{name}; rm -rf /data/many"])
        assert {f"/tmp/{name}", f"/{name}"} <= set(added_paths(session))
        assert not Path(f"/tmp/{name}").exists()
        assert not Path(f"/{name}").exists()

    def test_nothing_of_the_host_is_in_sight(self, session: Session, tmp_path: Path) -> None:
        """Neither its temporary files nor its processes nor its name."""
        need(self.no_walls)
        assert session.run(["/bin/ls", str(tmp_path)]).exit_code != 0
        assert session.run(["/bin/cat", "/proc/sys/kernel/hostname"]).text.strip() == session.image.hostname
        marker = f"contract-{uuid4().hex}"
        with Popen(["/bin/sh", "-c", "read word; echo $word", marker], stdin=PIPE, stdout=PIPE, text=True) as ours:
            seen = sh(session, f"cat /proc/[0-9]*/cmdline; kill -9 {ours.pid} 2>/dev/null").text
            assert "/proc/" in seen
            assert marker not in seen
            assert ours.communicate("alive\n")[0] == "alive\n"

    def test_a_network_is_given_or_refused(self, sandbox: Sandbox, session: Session) -> None:
        """At the door, with the way out; and none to who does not ask."""
        need(self.no_walls)
        assert [line.split(":")[0].strip() for line in sh(session, "cat /proc/net/dev").text.splitlines()[2:]] == ["lo"]
        if sandbox.gives_network:
            sandbox.check(Limits(network="allow"))
            return
        with pytest.raises(UserError, match="the embedded or the docker sandbox"):
            sandbox.start(session.image, limits=Limits(network="allow"))

    def test_a_command_has_three_descriptors(self, session: Session) -> None:
        """And the one with which `ls` reads the folder."""
        need(self.no_walls)
        assert session.run(["/bin/ls", "/proc/self/fd"]).text.split() == ["0", "1", "2", "3"]

    def test_killing_everything_leaves_the_session_standing(self, session: Session) -> None:
        need(self.no_walls)
        sh(session, "kill -9 -1")
        assert sh(session, "echo still here").output == b"still here\n"

    def test_the_disk_has_an_end(self, sandbox: Sandbox, world: Image) -> None:
        """And the session survives it."""
        need(self.no_limits)
        with sandbox.start(world, limits=SMALL) as session:
            assert sh(session, "head -c 32M /dev/zero > big").exit_code != 0
            assert len(session.read("/data/big", limit=32 << 20)) <= SMALL.disk
            assert sh(session, "rm big; echo fine > made; cat made").output == b"fine\n"

    def test_the_number_of_files_has_an_end(self, sandbox: Sandbox, world: Image) -> None:
        """And the session survives it."""
        need(self.no_limits or self.no_count)
        with sandbox.start(world, limits=SMALL) as session:
            assert sh(session, "for i in $(seq 500); do : > f$i || exit 9; done").exit_code == 9
            assert sh(session, "rm -f f[0-9]*; echo fine > made; cat made").output == b"fine\n"

    def test_processes_are_counted(self, sandbox: Sandbox, world: Image) -> None:
        """Each session by itself."""
        need(self.no_limits)
        with sandbox.start(world, limits=SMALL) as session, sandbox.start(world, limits=SMALL) as other:
            crowd = "for i in $(seq 60); do sleep 20 & done; wait"
            said = (sh(session, crowd, timeout=patience(3)).text for _ in range(2))
            assert any("retry" in text or "unavailable" in text for text in said)
            assert sh(other, "echo hi | cat").output == b"hi\n"
            session.kill()  # a slow machine's shell gives up before its time limit, and leaves the crowd
            assert sh(session, "echo hi | cat").output == b"hi\n"

    def test_memory_has_an_end(self, sandbox: Sandbox, world: Image) -> None:
        need(self.no_limits)
        with sandbox.start(world, limits=replace(SMALL, processes=256)) as session:
            result = sh(session, "x=x; while :; do x=$x$x; done", timeout=patience(60))
            assert result.exit_code != 0
            assert not result.timed_out
            assert sh(session, "echo fine").output == b"fine\n"

    def test_directories_can_be_read_in_another_order(self, sandbox: Sandbox, world: Image) -> None:
        """A seed gives an order, each time the same, and nothing else changes."""
        need(self.no_order)
        orders = {seed: [self._order(sandbox, world, seed) for _ in range(2)] for seed in (0, 1, 2)}
        assert all(first == again for first, again in orders.values())
        assert len({tuple(first) for first, _ in orders.values()}) == 3
        assert len({tuple(sorted(first)) for first, _ in orders.values()}) == 1

    def _order(self, sandbox: Sandbox, world: Image, seed: int) -> list[str]:
        with sandbox.start(world, shuffle=seed) as session:
            names = sh(session, "ls -U many").text.split()
            assert session.changes() == []
        return names
