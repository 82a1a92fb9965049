"""A Docker engine for tests and measurements: the one that is running or, as root with dockerd, a private one.

The private engine has mount, process and network namespaces of its own: /run and /etc/docker are empty in them, and its
networks lead nowhere but to the engine itself; this machine's settings are not touched. It ends when its first process
is killed: the kernel then takes all its processes and mounts. When the process that started it dies, it ends too, and
leaves only its folder and its empty control groups.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from intercode_sandbox.engine.command import Command
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.util.child_process import ChildProcess
from intercode_sandbox.util.system_packages import install_command

CONFIGURATION = Path("/etc/docker")
CGROUPS = Path("/sys/fs/cgroup")
SEARCH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
"""Where dockerd and runc are looked for: `su` may leave root without the folders of system programs."""

USUAL = "/var/run/docker.sock"
START_SECONDS = 60.0

HIDE = 'ip link set lo up; mount -t tmpfs none /run && mkdir -p "$0" && mount -t tmpfs none "$0" && exec "$@"'
"""Shell text: what dockerd keeps outside the folders it is given (shims' sockets, a key) goes into memory.

With a loopback that is up, ports that containers publish can be reached at it; without `ip` it stays down.
"""


FILTERED = "iptables -t nat -L -n && cat /proc/sys/net/bridge/bridge-nf-call-iptables"
"""Shell text: whether an engine can have networks whose containers are kept apart."""

WITHOUT_NETWORKS = ("--bridge", "none", "--iptables=false", "--ip-forward=false", "--ip-masq=false")


class NoDockerEngine(Exception):
    """There is no engine here; the message says why and what would help."""


class DockerEngine:
    """Use as a context manager. `private` says whether the engine was started here.

    Entering raises NoDockerEngine. Leaving ends a private engine with all its containers, and removes its files.
    """

    def __init__(self) -> None:
        self.private = False
        self._folder = Path()
        self._process: ChildProcess | None = None
        self._configuration_is_ours = self._has_networks = False

    def __enter__(self) -> Self:
        if self._answers():
            return self
        if named := os.environ.get("DOCKER_HOST"):
            raise NoDockerEngine(f"no Docker engine answers at DOCKER_HOST={named}: start it, or unset DOCKER_HOST")
        _check_can_start()
        self.private = True
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self.private:
            self._stop()

    @property
    def gives_network(self) -> bool:
        """Return whether its containers can have networks.

        A private engine's need iptables, and bridges that it filters.
        """
        return not self.private or self._has_networks

    def beside(self, *argv: str) -> list[str]:
        """Return the command that runs *argv* where a private engine's networks lead to.

        *argv* itself for one that ran.
        """
        if self._process is None:
            return [*argv]
        first = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()[0]
        return ["nsenter", f"--net=/proc/{first}/ns/net", *argv]

    @property
    def url(self) -> str:
        """Return where it listens, as DOCKER_HOST says it."""
        return f"unix://{self._folder}/socket" if self.private else os.environ.get("DOCKER_HOST", f"unix://{USUAL}")

    def client(self) -> Any:
        """Return a new docker-py client of this engine, to be closed after use; each thread wants its own."""
        try:
            import docker
        except ImportError:
            raise NoDockerEngine("docker-py is not installed: pip install docker") from None
        return docker.DockerClient(base_url=self.url)

    def describe(self) -> str:
        """Return one line for the report: version, storage driver, whose engine, kernel."""
        facts = json.loads(Command(self.url).call("asking the engine what it is", "info", "--format", "{{json .}}"))
        whose = "private engine" if self.private else "running engine"
        return f"Docker {facts['ServerVersion']}, {facts['Driver']}, {whose}, kernel {facts['KernelVersion']}"

    def _answers(self) -> bool:
        try:
            Command(self.url).version()
        except SandboxError:
            return False
        return True

    def _start(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="intercode-docker-"))
        environment = {**os.environ, "PATH": SEARCH}
        tried = subprocess.run(["unshare", "--net", "sh", "-c", FILTERED], env=environment, capture_output=True)
        self._has_networks = tried.returncode == 0
        self._configuration_is_ours = not CONFIGURATION.exists()
        CONFIGURATION.mkdir(exist_ok=True)
        with (self._folder / "log").open("wb") as log:
            self._process = ChildProcess(self._command(), env=environment, stdout=log, stderr=log)
        end = time.monotonic() + START_SECONDS
        while not self._answers():
            if not self._process.alive or time.monotonic() > end:
                last = (self._folder / "log").read_text(errors="replace").splitlines()[-5:]
                raise NoDockerEngine("dockerd is installed but does not start here; it last said:\n" + "\n".join(last))
            time.sleep(0.1)

    def _command(self) -> list[str]:
        """Start dockerd as the first process of its own namespaces."""
        apart = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]
        folder, networks = self._folder, () if self._has_networks else WITHOUT_NETWORKS
        return [
            *apart, "--mount-proc", "sh", "-c", HIDE, str(CONFIGURATION), "dockerd", "--host", f"unix://{folder}/socket",
            "--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid",
            "--exec-opt", "native.cgroupdriver=cgroupfs", "--cgroup-parent", f"/{folder.name}",
            "--ip6tables=false", *networks,
        ]  # fmt: skip

    def _stop(self) -> None:
        if self._process is not None:
            # Killed together, dockerd would outlive unshare as an orphan for a moment: kill it first.
            children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
            with suppress(OSError):
                for child in children.read_text().split():
                    os.kill(int(child), signal.SIGKILL)
                self._process.wait(30)
            self._process.close()
        if self._folder.name:
            _remove_cgroups(self._folder.name)
            shutil.rmtree(self._folder)
        if self._configuration_is_ours:
            with suppress(FileNotFoundError):  # another engine that began with this one has removed it
                CONFIGURATION.rmdir()
        self.private = False


def _check_can_start() -> None:
    if shutil.which("dockerd", path=SEARCH) is None:
        raise NoDockerEngine(
            f"no Docker engine is running, and dockerd is not installed: {install_command('docker.io')}"
        )
    if shutil.which("docker") is None:
        raise NoDockerEngine(f"dockerd is installed, but not its command `docker`: {install_command('docker-cli')}")
    if os.geteuid() != 0:
        raise NoDockerEngine("no Docker engine is running, and only root can start one: run this as root")


def _remove_cgroups(name: str) -> None:
    """Remove the (now empty) control groups called *name*, of version 2 and of every hierarchy of version 1."""
    for top in [CGROUPS / name, *CGROUPS.glob(f"*/{name}")]:
        for folder, _, _ in os.walk(top, topdown=False):
            Path(folder).rmdir()
