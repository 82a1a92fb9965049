"""One container: how it is asked for, and the line to the runner that is its process 1."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import struct
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

from intercode_sandbox.docker.engine import Engine
from intercode_sandbox.docker.layer_folders import folders, why_unreadable
from intercode_sandbox.docker.user_ids import UserIds, user_ids
from intercode_sandbox.engine.owner import this_process
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images.engine_store import LABEL
from intercode_sandbox.runner import protocol, seccomp
from intercode_sandbox.runner.compiled import what_is_wrong_with
from intercode_sandbox.sandbox import Limits

RUNNER = Path(__file__).with_name("intercode-runner")
START_SECONDS = 60.0
HEADROOM = 16 << 20
"""Bytes of memory beside the session's own: the runner's, and what the kernel keeps for it."""

PLACE = "/dev/mqueue"
"""Where the runner and its socket are shown in the container: a folder that is there anyway, and on no layer. Both are
unlinked once it runs, so that an agent finds an empty folder."""

CAPABILITIES = (
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "SETUID",
    "SETGID",
    "KILL",
    "NET_BIND_SERVICE",
    "SYS_CHROOT",
)
"""As in the embedded sandbox: enough for chown, su, apt, chroot."""

READ_ONLY = ("/proc/1", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")
MASKED = (
    *("/proc/acpi", "/proc/asound", "/proc/config.gz", "/proc/interrupts", "/proc/kcore", "/proc/key-users"),
    *("/proc/keys", "/proc/kmsg", "/proc/kpagecount", "/proc/kpageflags", "/proc/latency_stats", "/proc/locks"),
    "/proc/sched_debug",
    *("/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/proc/tty/driver", "/sys/devices/virtual/powercap"),
    *("/sys/firmware",),
)
PODMANS_MASK = (
    *MASKED,
    *("/proc/1/oom_score_adj", "/proc/1/oom_adj", "/proc/1/task/1/oom_score_adj", "/proc/1/task/1/oom_adj"),
    "/proc/sysrq-trigger",
)
"""Podman's socket takes neither `READ_ONLY` nor `MASKED` and says nothing; this option it does take. /proc/1 as a whole
cannot be masked, since what starts process 1 needs it."""


def runner_fault() -> str:
    """Return why the containers' runner cannot be used, with the way out; empty where it can."""
    return what_is_wrong_with(RUNNER, "the containers' runner")


class Container:
    """A container that has come up: its id, the socket to its runner, its ids of users here, the folder of its layer.

    The folder's name is empty where it cannot be read here. *folder* is where its socket is for a moment.

    Raises:
        SandboxError: If it does not come up. Nothing is left then.
    """

    def __init__(
        self, engine: Engine, image: str, limits: Limits, folder: Path, *, hostname: str, binds: Mapping[str, str]
    ) -> None:
        self.engine = engine
        place = folder / token_hex(4)
        place.mkdir(mode=0o755)
        name = f"intercode-{os.getpid()}-{place.name}"
        try:
            config = _config(image, limits, hostname, {str(place): PLACE})
            if engine.is_podman:  # takes no such mounts, and says nothing
                config["HostConfig"]["Binds"] += _binds(binds)
            else:
                config["HostConfig"]["Mounts"] = [_overlay(*each, _empty(folder)) for each in binds.items()]
            if engine.facts.get("KernelMemoryTCP"):  # version 1 of control groups counts what lies in sockets apart
                config["HostConfig"]["KernelMemoryTCP"] = config["HostConfig"]["Memory"]
            if engine.is_podman:
                config["HostConfig"]["SecurityOpt"].append(f"mask={':'.join(PODMANS_MASK)}")
            self.id = engine.create(name, config)
            try:
                self.connection, self.owner, self.ids = _start(engine, self.id, place, tracing=limits.tracing)
                self.layer = "" if why_unreadable(engine.facts) else folders(engine.container(self.id))[0]
            except BaseException:
                engine.remove(self.id)
                raise
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _start(engine: Engine, container: str, place: Path, *, tracing: bool) -> tuple[socket.socket, int, UserIds]:
    """Start it, and the connection that its runner makes: the one and only, since the socket then goes away."""
    if fault := runner_fault():
        raise SandboxError(fault)
    _link(RUNNER, place / "runner")
    folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
            door.bind(f"/proc/self/fd/{folder}/socket")  # paths of sockets must be short
            (place / "socket").chmod(0o666)
            door.listen(1)
            door.settimeout(START_SECONDS)
            engine.start_container(container)
            connection = _accept(door, engine, container)
    finally:
        os.close(folder)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    protocol.limit_waits(connection, START_SECONDS)
    process, owner, group = struct.unpack("=iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    ids = user_ids(process, owner, group)
    protocol.send(connection, seccomp.program(tracing=tracing))
    reply = protocol.receive(connection)
    for descriptor in reply.descriptors if reply else ():  # of its root: the changes are read elsewhere
        os.close(descriptor)
    if reply is None or reply.kind != "R":
        connection.close()
        raise SandboxError(f"a container's runner does not start: {reply.text if reply else 'it ended at once'}")
    return connection, owner, ids


def _accept(door: socket.socket, engine: Engine, container: str) -> socket.socket:
    try:
        return door.accept()[0]
    except TimeoutError:
        state = engine.container(container).get("State", {})
        raise SandboxError(
            f"a container does not answer within {START_SECONDS:.0f} s (it is {state.get('Status')}): is the engine on "
            f"this machine, and does it see the folder for temporary files? Name another in TMPDIR"
        ) from None


def _link(source: Path, target: Path) -> None:
    """A second name for *source*, or a copy where it is on another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        target.chmod(0o755)


def _limits(disk: int) -> list[dict[str, Any]]:
    """Return the size of a file; and what else is limited here, which Podman otherwise asks more of than it may get."""
    files, processes = (resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC))
    most = {"fsize": disk}
    if files != resource.RLIM_INFINITY:
        most["nofile"] = files
    if processes != resource.RLIM_INFINITY:
        most["nproc"] = min(processes, int(Path("/proc/sys/kernel/pid_max").read_text()))
    return [{"Name": name, "Soft": each, "Hard": each} for name, each in most.items()]


def _binds(binds: Mapping[str, str]) -> list[str]:
    return [f"{source}:{target}:ro" for source, target in binds.items()]


def _overlay(source: str, target: str, empty: Path) -> dict[str, Any]:
    """Return a folder of this machine under a read-only overlay of the container's own, as a volume that goes with it.

    Watches and locks are then on inodes that nobody else has. An overlay wants two layers: *empty* is the other.
    """
    options = {"type": "overlay", "device": "overlay", "o": f"lowerdir={source}:{empty}"}
    volume = {"NoCopy": True, "DriverConfig": {"Name": "local", "Options": options}}
    return {"Type": "volume", "Target": target, "VolumeOptions": volume}


def _empty(folder: Path) -> Path:
    """Return an empty folder, which stays as long as containers do."""
    (folder / "empty").mkdir(mode=0o755, exist_ok=True)
    return folder / "empty"


def _config(image: str, limits: Limits, hostname: str, binds: Mapping[str, str]) -> dict[str, Any]:
    """Return what the engine's interface wants to be told; names are its own."""
    return {
        "Image": image,
        "Hostname": hostname,
        "User": "0:0",
        "WorkingDir": "/",
        "Entrypoint": [f"{PLACE}/runner", f"{PLACE}/socket", str(limits.disk)],
        "Cmd": [],
        "Env": [],
        "Healthcheck": {"Test": ["NONE"]},
        "NetworkDisabled": True,
        "Labels": {LABEL: this_process()},
        "HostConfig": {
            "AutoRemove": True,  # the runner ends when its host does, and the container goes with it
            "NetworkMode": "none",
            "IpcMode": "private",
            "CgroupnsMode": "private",
            "Binds": _binds(binds),
            "CapDrop": ["ALL"],
            "CapAdd": list(CAPABILITIES),
            "SecurityOpt": ["no-new-privileges"],
            "ReadonlyPaths": list(READ_ONLY),
            "MaskedPaths": list(MASKED),
            "Memory": limits.memory + HEADROOM,
            "MemorySwap": limits.memory + HEADROOM,
            "PidsLimit": limits.processes + 1,
            "ShmSize": min(limits.disk, limits.memory),
            "Ulimits": _limits(limits.disk),
            "LogConfig": {"Type": "none", "Config": {}},
        },
    }
