"""A sandbox of your own, over bubblewrap: each session is a folder, and a container that has it as its root.

Guards: files, processes, users, host name, network (there is none), capabilities, user namespaces. Limits: time and
output. Does NOT guard: memory, the number of processes, disk; the kernel's system calls, none of which is filtered;
the process that holds the session, which whoever is root in there may trace and end; sight of what else is run and read
in this machine's /usr (by watches and locks), which the image `host` shows.

    intercode run --sandbox examples/sandbox_of_your_own.py --agent oracle
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from intercode_sandbox.errors import SandboxError
from intercode_sandbox.host.folder_sandbox import FolderSandbox
from intercode_sandbox.host.process import HostProcess, process_ids, shell_command, start_with_pipes
from intercode_sandbox.host.session import FolderSession
from intercode_sandbox.images import Image, find
from intercode_sandbox.sandbox import Limits

ENV = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
"""What our own programs get of the environment: nothing that the session should not see."""

HOLD = "echo ready; read"
"""Process 1: it ends when we close its standard input, and so it does when we die. The session ends with it."""

POWERLESS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "setsid"]


class BubblewrapSandbox(FolderSandbox):
    """See the module."""

    def make_session(self, image: Image, limits: Limits) -> BubblewrapSession:
        """A session that has not begun."""
        return BubblewrapSession(image, limits)


class BubblewrapSession(FolderSession):
    """A folder, and a container whose root it is."""

    _bubblewrap: subprocess.Popen[bytes] | None = None
    _first, _namespace = 0, ""

    def begin(self) -> None:
        """Start the container."""
        binds = [word for layer in self.image.layers for pair in layer.binds().items() for word in ("--ro-bind", *pair)]
        options = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "0", "--gid", "0", "--as-pid-1"]
        options += ["--hostname", self.image.hostname, "--clearenv", "--chdir", "/"]
        options += ["--bind", str(self.folder), "/", *binds, "--dev", "/dev", "--proc", "/proc"]
        facts, inner = os.pipe()
        try:
            command = ["bwrap", *options, "--info-fd", str(inner), "/bin/bash", "-c", HOLD]
            self._bubblewrap = start_with_pipes(command, env=ENV, pass_fds=[inner])
        finally:
            os.close(inner)
            with os.fdopen(facts) as file:
                text = file.read() if self._bubblewrap else ""
        assert self._bubblewrap.stdout
        said = self._bubblewrap.stdout.readline()
        if said != b"ready\n":
            raise SandboxError(f"bubblewrap did not start: {said.decode()}; see `intercode doctor`")
        self._first = json.loads(text)["child-pid"]
        self._namespace = os.readlink(f"/proc/{self._first}/ns/pid")

    @property
    def alive(self) -> bool:
        """Whether the container is there."""
        return self._bubblewrap is not None and self._bubblewrap.poll() is None

    def exec(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], separate: bool) -> HostProcess:
        """Start a program in the container."""
        enter = ["nsenter", "--target", str(self._first), "--all", "--preserve-credentials", *POWERLESS]
        popen = start_with_pipes([*enter, *shell_command(argv, cwd, env)], env=ENV, separate=separate)
        return EnteredProcess(popen, self.kill)  # at its time limit all goes: we cannot tell who started what

    def processes(self) -> list[int]:
        """Whatever is in the container's namespace of processes, but the one that holds it."""
        return [pid for pid in process_ids() if pid != self._first and _namespace_of(pid) == self._namespace]

    def close(self) -> None:
        """End the container; then its folder goes."""
        if self._bubblewrap is not None:
            self._bubblewrap.communicate()
        super().close()


class EnteredProcess(HostProcess):
    """What `nsenter` has started: a signal is meant for its child, the leader of a process group."""

    def signal(self, number: int) -> None:
        """See `Process.signal`."""
        for child in Path(f"/proc/{self.popen.pid}/task/{self.popen.pid}/children").read_text().split():
            os.killpg(int(child), number)


def _namespace_of(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:  # it has ended, or is none of ours
        return ""


if __name__ == "__main__":
    with BubblewrapSandbox() as sandbox, sandbox.start(find("host")) as session:
        print(session.run(["/bin/sh", "-c", "hostname; ls -d /proc/[0-9]*; echo hello > /tmp/made"]).text)
        print([change.path for change in session.changes()], session.read("/tmp/made"))
