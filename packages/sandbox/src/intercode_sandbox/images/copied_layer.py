"""A layer copied from a folder of this machine: its files as root's, wherever in the image they are wanted."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.digests import file_key, recipe_key
from intercode_sandbox.images.files_layer import CREATED
from intercode_sandbox.images.image import Layer, LayerBuilder
from intercode_sandbox.images.tar_archives import TarMember, clean


@dataclass(frozen=True)
class CopiedLayer(Layer):
    """What *folder* holds, at *inside*: files, whether they may be executed, and the folders above them; no links.

    What lies in folders called as one of *without*, wherever in it, is left out, and so is what begins with a dot at
    its top. All get root as their owner and a fixed day in 2024 as their time, so that equal contents make equal
    layers. Files are not held in memory.
    """

    folder: Path
    inside: str
    without: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"a copy of {self.folder}"

    @cached_property
    def key(self) -> str:
        """Of every path and content.

        Raises:
            ImageError: For what cannot be read.
        """
        facts = tuple((path, _mode(file), file_key(file)) for path, file in self._files())
        return recipe_key("copied", clean(self.inside), facts)

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Pack it, and unpack it as the sandbox's root."""
        archive = target.parent / "copied.tar"
        with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as packed:
            for path, file in self._files():
                info = TarMember(f"{clean(self.inside)}/{path}", _mode(file), CREATED, b"").header()
                info.size = file.stat().st_size
                with file.open("rb") as content:
                    packed.addfile(info, content)
        layer_builder.unpack(archive, target)

    def _files(self) -> Iterator[tuple[str, Path]]:
        """Yield every file with its path in the folder, sorted."""
        if not self.folder.is_dir():
            raise ImageError(f"{self.folder} is not a folder")
        for file in sorted(self.folder.rglob("*")):
            path = file.relative_to(self.folder)
            left_out = path.parts[0].startswith(".") or any(part in self.without for part in path.parts[:-1])
            if file.is_file() and not file.is_symlink() and not left_out:
                yield path.as_posix(), file


def _mode(file: Path) -> int:
    return 0o755 if file.stat().st_mode & 0o100 else 0o644
