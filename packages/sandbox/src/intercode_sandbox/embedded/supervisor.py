"""One bubblewrap with a zygote in it, for one image: makes sessions and snapshots on request."""

from __future__ import annotations

import os
import re
import resource
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from intercode_sandbox.embedded import control_groups
from intercode_sandbox.embedded.control_groups.groups import SupervisorGroups
from intercode_sandbox.embedded.user_namespace import HELPER, SandboxUser, UserNamespace, helper_fault
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import Mount
from intercode_sandbox.runner import protocol, seccomp
from intercode_sandbox.util.system_packages import install_command
from intercode_sandbox.util.text import clauses

START_SECONDS = 30.0
_STAGE = "/tmp"  # covered, in a mount namespace of its own, by what bubblewrap is to see

_WORLD = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--uid", "0"),
    *("--gid", "0", "--clearenv", "--new-session", "--cap-add", "ALL", "--as-pid-1", "--tmpfs", "/"),
    *("--dir", "/stage", "--dev", "/dev", "--proc", "/proc", "--chdir", "/"),
)


class Supervisor:
    """Starts bubblewrap when made.

    Ends when closed or when this process ends in whatever way: the zygote sees its socket close. (`--die-with-parent`
    would not do: it goes by the thread that started it, and threads come and go.)

    Raises:
        SandboxError: If bubblewrap does not come up. Holds what it printed.
    """

    def __init__(
        self,
        mounts: Sequence[Mount],
        who: SandboxUser,
        namespace: UserNamespace | None,
        scratch: Path | None = None,
        *,
        tracing: bool = False,
    ) -> None:
        if fault := helper_fault():
            raise SandboxError(fault)
        bubblewrap = shutil.which("bwrap")
        if bubblewrap is None:
            raise SandboxError(no_bubblewrap())
        self.mounts = tuple(mounts)
        self._scratch = scratch
        self.binds = tuple(target for mount in mounts for target in mount.binds.values())
        _lift_descriptor_limit()
        self.channel, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        protocol.limit_waits(self.channel, START_SECONDS)
        self.groups: SupervisorGroups | None = None
        """Control groups for its sessions, or None: memory is looked at and guessed then."""
        with inner:
            self._process = self._launch(bubblewrap, inner.fileno(), who, namespace)
        self._begin(self._wait_until_ready(), who.base, tracing)

    def _sources(self) -> list[tuple[str, Path, str]]:
        """Return what bubblewrap shows: mark (i: owners to be mapped), path here, path inside."""
        layers = [("i" if m.foreign else "-", m.path, f"/image/{i}") for i, m in enumerate(self.mounts)]
        outside = [Path(source) for mount in self.mounts for source in mount.binds]
        mark = "i" if overlays_take_mapped_layers() else "-"
        binds = [(mark, path, f"/bind/{i}") for i, path in enumerate(outside)]
        scratch = [("-", self._scratch, "/scratch")] if self._scratch else []
        return [("-", HELPER, "/helper"), *layers, *binds, *scratch]

    def _launch(
        self, bubblewrap: str, inner: int, who: SandboxUser, namespace: UserNamespace | None
    ) -> subprocess.Popen[bytes]:
        sources = self._sources()
        user = ["--unshare-user"] if namespace is None else ["--userns", str(namespace.descriptor)]
        seen = [f"{_STAGE}/{i}" if who.kind == "root" else str(path) for i, (_, path, _) in enumerate(sources)]
        shown = [
            word
            for path, (_, _, inside) in zip(seen, sources, strict=True)
            for word in ("--bind" if inside == "/scratch" else "--ro-bind", path, inside)
        ]
        command = [bubblewrap, *user, *_WORLD, *shown, "/helper", "zygote", str(inner)]
        if who.kind == "root" and namespace is not None:
            marked = [word for mark, path, _ in sources for word in (mark if who.size > 1 else "-", str(path))]
            count, descriptor = str(len(sources)), str(namespace.descriptor)
            command = [str(HELPER), "launch", str(who.base), descriptor, _STAGE, count, *marked, *command]
        passed = [inner] if namespace is None else [inner, namespace.descriptor]
        return subprocess.Popen(
            command,
            pass_fds=passed,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C at our terminal is not meant for it
        )

    def _begin(self, zygote: int, owner: int, tracing: bool) -> None:
        """Give the zygote its control group and its filter of system calls, which depends on that."""
        try:
            self.groups = control_groups.claim([self._process.pid, zygote], owner)
            grouped = self.groups is not None and self.groups.mode == "grouped"
            counted = self.groups is not None
            protocol.send(self.channel, seccomp.program(counted=counted, grouped=grouped, tracing=tracing))
            self._wait_until_ready()
            if self.groups is not None:
                self.groups.begin()
        except BaseException:
            self.close()
            raise

    def _wait_until_ready(self) -> int:
        """Return the zygote's number on this machine."""
        try:
            reply = protocol.receive(self.channel)
        except TimeoutError:
            reply = None
        if reply is None or reply.kind != "R":
            said = reply.text if reply else self._last_words()
            self.close()
            raise SandboxError(
                clauses(f"bubblewrap did not come up: {said or 'it said nothing'}", "see `intercode doctor`")
            )
        return reply.pid

    def _last_words(self) -> str:
        self._process.kill()
        return self._process.communicate()[1].decode("utf-8", "replace").strip()

    def request(self, message: bytes, descriptors: Sequence[int] = ()) -> socket.socket:
        """Send a request to the zygote; the socket that comes back is the new session's (or the snapshot's answer)."""
        outer, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        protocol.limit_waits(outer, START_SECONDS)
        with inner:
            try:
                protocol.send(self.channel, message, [inner.fileno(), *descriptors])
            except SandboxError:
                outer.close()
                raise
        return outer

    @property
    def alive(self) -> bool:
        """Return whether bubblewrap still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it, with every session in it, and wait for that. Closing twice is harmless."""
        self.channel.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()
        if self.groups is not None:
            self.groups.close()


def no_bubblewrap() -> str:
    """Return what to tell where bubblewrap is missing."""
    return f"bubblewrap is not installed ({install_command('bubblewrap')}); `intercode doctor` tells more"


def overlays_take_mapped_layers() -> bool:
    """Return whether this kernel's overlays go over mounts with owners mapped.

    If not, /usr belongs to nobody in sessions.
    """
    major, minor = re.findall(r"\d+", os.uname().release)[:2]
    return (int(major), int(minor)) >= (5, 19)


def _lift_descriptor_limit() -> None:
    """To what we may have: descriptors underway in sockets of agents count against it, where they are our own user."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def receive_or_fail(channel: socket.socket, kind: str, what: str) -> protocol.RunnerReply:
    """Return the next message, which must be of *kind*.

    Raises:
        SandboxError: If it is of another, or none comes. Holds the helper's own words.
    """
    try:
        reply = protocol.receive(channel)
    except TimeoutError:
        raise SandboxError(f"{what} took longer than {START_SECONDS:.0f} s; is the machine overloaded?") from None
    except OSError as error:
        raise SandboxError(f"{what} failed: {error.strerror}") from error
    if reply is None or reply.kind != kind:
        for descriptor in reply.descriptors if reply else ():
            os.close(descriptor)
        said = reply.text if reply and reply.text else "the sandbox helper went away"
        raise SandboxError(clauses(f"{what} failed: {said}", "`intercode doctor` looks for causes"))
    return reply
