"""Unpacking an image's layers into a folder with the machine's own tools."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from intercode_sandbox.errors import ImageError
from intercode_sandbox.host import directory_tree
from intercode_sandbox.images import Layer
from intercode_sandbox.images.compression import open_uncompressed
from intercode_sandbox.images.image import time_in_session
from intercode_sandbox.network.hosts import NONE, NetworkPolicy


class HostLayerBuilder:
    """Unpacks archives with the machine's `tar`; runs no script, since nothing here would hold it."""

    def unpack(self, archive: Path, target: Path) -> None:
        """See `LayerBuilder.unpack`."""
        argv = ["tar", "--extract", "--preserve-permissions", "--numeric-owner", "--anchored"]
        argv += ["--exclude=./dev/*", "--exclude=dev/*", f"--directory={target}", "--file=-"]
        with open_uncompressed(archive) as (stream, compression):
            command = [*argv, *compression]
            done = subprocess.run(command, stdin=stream, capture_output=True, check=False, start_new_session=True)
        if done.returncode:
            raise ImageError(f"{archive} cannot be unpacked: {done.stderr.decode(errors='replace').strip()}")

    def remove(self, folder: Path) -> None:
        """See `LayerBuilder.remove`."""
        directory_tree.remove(folder)

    def run_script(
        self, below: tuple[Layer, ...], script: bytes, env: Mapping[str, str], archive: Path, *,
        network: NetworkPolicy = NONE,
    ) -> None:  # fmt: skip
        """Raise ImageError: a set-up script is not run on this machine."""
        raise ImageError("this sandbox runs no set-up scripts of images: use the embedded sandbox")


def unpack(layers: tuple[Layer, ...], first: int = 0) -> Path:
    """Return a new folder with *layers* in it, from the *first* on, one over the other.

    Raises:
        ImageError: If a layer cannot be built. Nothing is left then.
    """
    folder = new_folder()
    try:
        for number, layer in enumerate(layers[first:], start=first):
            _unpack_onto(folder, layer, layers[:number])
    except BaseException:
        directory_tree.remove(folder)
        raise
    return folder


def _unpack_onto(folder: Path, layer: Layer, below: tuple[Layer, ...]) -> None:
    scratch = new_folder()
    try:
        built = scratch / "root"
        built.mkdir(mode=0o755)
        layer.build(built, HostLayerBuilder(), below)
        directory_tree.copy(built, folder)
    finally:
        directory_tree.remove(scratch)


def new_folder() -> Path:
    """Return a new empty temporary folder that everybody may look into, as into a `/`."""
    folder = Path(tempfile.mkdtemp(prefix="intercode-session-"))
    folder.chmod(0o755)
    return folder


def set_times(folder: Path, now: float) -> None:
    """Set the times of all in *folder* that has none of its own, for a session that begins at *now* (seconds)."""
    moment = int(now * 1e9)
    for path in directory_tree.scan(folder):
        own = os.lstat(f"{folder}{path}").st_mtime_ns
        if (when := time_in_session(own, moment)) != own:
            os.utime(f"{folder}{path}", ns=(moment, when), follow_symlinks=False)
