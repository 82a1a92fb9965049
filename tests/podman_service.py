"""Podman's service on a socket of its own, with storage of its own, for tests: it speaks Docker's words."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60.0

_NAMESPACES = (
    *("unshare", "--mount", "--propagation", "private", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"),
    *("sh", "-c", 'mkdir -p /var/lib/cni && mount -t tmpfs none /var/lib/cni && exec "$@"', "sh"),
)
"""Its containers end with it, and its mounts and networks: other tests look at those of the machine."""


def missing() -> str:
    """Why it cannot be started here; empty if it can."""
    if shutil.which("podman") is None:
        return "Podman is not installed: apt-get install podman"
    return "" if os.geteuid() == 0 else "as root only, since images and containers go into a folder of the test's"


@contextmanager
def podman_service() -> Iterator[str]:
    """Where it listens. All its processes, images and mounts go when it ends."""
    with tempfile.TemporaryDirectory(prefix="intercode-podman-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        address = f"unix://{folder}/socket"
        podman = [
            *("podman", "--root", f"{folder}/root", "--runroot", f"{folder}/run", "--storage-driver", "overlay"),
            *("--cgroup-manager", "cgroupfs", "--events-backend", "none", "--network-config-dir", f"{folder}/networks"),
        ]
        serve = [*_NAMESPACES, *podman, "system", "service", "--time", "0", address]
        with (folder / "log").open("wb") as log:
            service = subprocess.Popen(
                serve, stdout=log, stderr=log, cwd=folder
            )  # it leaves a file where it was started
        try:
            _await(service, address, folder / "log")
            yield address
        finally:
            service.kill()
            service.wait()


def _listens(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(address.removeprefix("unix://")) == 0


def _await(service: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not _listens(address):
        assert service.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)
