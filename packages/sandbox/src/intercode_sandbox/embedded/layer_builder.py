"""What building an image asks of the embedded sandbox: to unpack archives as its users own them, to run scripts."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from intercode_sandbox.embedded.export import write_layer
from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.embedded.supervisor import no_bubblewrap
from intercode_sandbox.embedded.user_namespace import HELPER, UserNamespace, find_user
from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.compression import open_uncompressed
from intercode_sandbox.images.image import Image, Layer
from intercode_sandbox.images.script_layer import last_words
from intercode_sandbox.limits import SCRIPT_LIMITS
from intercode_sandbox.network.hosts import NONE, NetworkPolicy
from intercode_sandbox.sandbox import Limits, Session

_STAGE = "/tmp"  # a place that every machine has, covered inside a mount namespace of its own


class SessionStarter(Protocol):
    """What a layer builder asks of the sandbox that it works for."""

    @property
    def namespace(self) -> UserNamespace | None:
        """The user namespace of its sessions."""

    def start(self, image: Image, *, limits: Limits) -> Session:
        """See `Sandbox.start`."""


class EmbeddedLayerBuilder:
    """See `LayerBuilder`.

    Archives are unpacked behind bubblewrap, so even a hostile one reaches nothing but its target.
    """

    def __init__(self, sandbox: SessionStarter) -> None:
        self._sandbox = sandbox
        self._identity = find_user()

    def unpack(self, archive: Path, target: Path) -> None:
        """See `LayerBuilder.unpack`."""
        if self._identity.kind == "root":
            os.chown(target, self._identity.base, self._identity.base)
        owners = "--same-owner" if self._identity.size > 1 else "--no-same-owner"
        options = ["--preserve-permissions", owners, "--numeric-owner", "--xattrs", "--xattrs-include=user.overlay.*"]
        leave_out = ["--exclude=./dev/*", "--exclude=dev/*", "--anchored"]
        with open_uncompressed(archive) as (stream, compression):
            command = ["tar", "--extract", *options, *leave_out, *compression, "--file", "-"]
            done = self._run_outside(target, command, stream)
        if done.returncode:
            said = done.stderr.replace(b"tar: Exiting with failure status due to previous errors", b"")
            raise ImageError(f"{archive} cannot be unpacked: {_last_line(said)}")

    def remove(self, folder: Path) -> None:
        """See `LayerBuilder.remove`."""
        with suppress(RecursionError):  # thousands of folders in each other
            shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            # or folders closed to us: the sandbox's root empties it, we take what is left
            self._run_outside(folder, ["find", ".", "-mindepth", "1", "-delete"], subprocess.DEVNULL)
            shutil.rmtree(folder, ignore_errors=True)

    def _run_outside(self, folder: Path, command: Sequence[str], stdin: int) -> subprocess.CompletedProcess[bytes]:
        """Run one of this machine's programs as the sandbox's root, in *folder*, with all else read-only."""
        bubblewrap = shutil.which("bwrap")
        if bubblewrap is None:
            raise ImageError(no_bubblewrap())
        namespace = self._sandbox.namespace
        root = self._identity.kind == "root"
        user = ["--unshare-user"] if namespace is None else ["--userns", str(namespace.descriptor)]
        inside = [
            *user,
            "--uid",
            "0",
            "--gid",
            "0",
            "--cap-add",
            "ALL",
            "--unshare-pid",
            "--unshare-net",
            "--ro-bind",
            "/",
        ]
        inside += [
            "/",
            "--bind",
            f"{_STAGE}/0" if root else str(folder),
            _STAGE,
            "--chdir",
            _STAGE,
            "--die-with-parent",
        ]
        full = [bubblewrap, *inside, *command]
        if root and namespace is not None:
            full = [
                *(str(HELPER), "launch", str(self._identity.base), str(namespace.descriptor), _STAGE),
                *("1", "-", str(folder), *full),
            ]
        passed = [] if namespace is None else [namespace.descriptor]
        return subprocess.run(
            full, stdin=stdin, capture_output=True, pass_fds=passed, check=False, start_new_session=True
        )

    def run_script(
        self, below: tuple[Layer, ...], script: bytes, env: Mapping[str, str], archive: Path, *,
        network: NetworkPolicy = NONE,
    ) -> None:  # fmt: skip
        """See `LayerBuilder.run_script`."""
        base = Image("set-up", below)
        with self._sandbox.start(base, limits=SCRIPT_LIMITS.with_network(network)) as session:
            assert isinstance(session, EmbeddedSession)
            done = session.run(["/bin/bash", "-c", os.fsdecode(script)], env={**_SCRIPT_ENV, **env})
            if done.exit_code:
                how = "was stopped at its time limit" if done.timed_out else f"ended with status {done.exit_code}"
                raise ImageError(f"{how}; {last_words(done.output)}{_unreached(session)}")
            session.kill()
            with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as packed:
                write_layer(session, packed, self._identity)


_SCRIPT_ENV = {"HOME": "/root", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}


def _unreached(session: Session) -> str:
    used = session.network_usage()
    return f"; it asked for {', '.join(used.unreached)} and did not get there" if used and used.unreached else ""


def _last_line(output: bytes) -> str:
    return output.decode("utf-8", "replace").strip().rpartition("\n")[2] or "nothing"
