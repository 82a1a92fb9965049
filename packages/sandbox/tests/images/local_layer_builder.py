"""A real layer builder without a sandbox, and layers that show what the store does; several processes import this."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images import Image, Layer, LayerBuilder
from intercode_sandbox.images.compression import open_uncompressed
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.store import ImageStore
from intercode_sandbox.network.hosts import NONE, NetworkPolicy


class LocalLayerBuilder:
    """Unpacks with `tar` as the current user, and runs scripts in a folder that is no root."""

    def unpack(self, archive: Path, target: Path) -> None:
        options = ("--preserve-permissions", "--exclude=./dev/*", f"--directory={target}", "--file=-")
        with open_uncompressed(archive) as (stream, compression):
            self._tar("--extract", *options, *compression, stdin=stream)

    def remove(self, folder: Path) -> None:
        shutil.rmtree(folder)

    def run_script(
        self, below: tuple[Layer, ...], script: bytes, env: Mapping[str, str], archive: Path, *,
        network: NetworkPolicy = NONE,
    ) -> None:  # fmt: skip
        with TemporaryDirectory(dir=archive.parent) as folder:
            done = subprocess.run(["/bin/bash", "-e"], input=script, cwd=folder, env=env, capture_output=True)
            if done.returncode:
                raise ImageError(f"the script failed: {done.stderr.decode()}")
            self._tar("--create", f"--file={archive}", f"--directory={folder}", ".")

    def _tar(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> None:
        done = subprocess.run(["tar", *arguments], stdin=stdin, capture_output=True, text=True)
        if done.returncode:
            raise ImageError(f"tar: {done.stderr.strip()}")


@dataclass(frozen=True)
class SlowLayer(Layer):
    """Writes down each build in *log*, and takes *seconds* over it with one file there and the other still missing."""

    log: Path
    seconds: float = 0.0

    @cached_property
    def key(self) -> str:
        return recipe_key("slow", str(self.log))

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        (target / "bin").mkdir()
        (target / "bin" / "sh").write_text("first")
        with self.log.open("a") as log:
            log.write("built\n")
        time.sleep(self.seconds)
        (target / "last").write_text("last")


def slow_image(log: Path, seconds: float = 0.0) -> Image:
    return Image("slow", (SlowLayer(log, seconds),))


def shell(*more: str) -> FilesLayer:
    """The least that passes for a root file system."""
    return FilesLayer({"/bin/sh": "#!\n", **dict.fromkeys(more, "")})


def build_slowly(root: Path, log: Path, seconds: float, said: Path) -> None:
    """What a process of its own does in tests: builds the slow image and writes down what it was told meanwhile."""
    lines: list[str] = []
    ImageStore(root, layer_builder=LocalLayerBuilder(), progress=lines.append).mounts(slow_image(log, seconds))
    said.write_text("\n".join(lines))
