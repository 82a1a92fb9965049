"""Layers that are there already: a root file system in a folder, and a tar archive of one or of files to add."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.digests import file_key, recipe_key
from intercode_sandbox.images.image import Layer, LayerBuilder
from intercode_sandbox.images.tar_archives import clean, refuse_cut_off, rewrite

TELLING = (".", "etc", "usr", "usr/bin", "usr/lib", "var/lib/dpkg")
"""Folders in which something changes whenever a root file system is updated."""


@dataclass(frozen=True)
class DirectoryLayer(Layer):
    """A folder of this machine, used where it stands: read-only, so no session can harm it.

    It is not copied, because root file systems are large and copying one as another user loses its owners. The price:
    the key is a fingerprint of the uppermost folders only, so an edit deep inside goes unnoticed by whatever is kept
    by key, and editing it under a running session has results that nobody promises. Where that matters, make it a tar.
    """

    path: Path
    foreign: bool = True

    def __str__(self) -> str:
        return str(self.path)

    @cached_property
    def key(self) -> str:
        """Of the path and the names, sizes and times found in the telling folders.

        Raises:
            ImageError: If the folder cannot be read.
        """
        root = self.place()
        try:
            return recipe_key("directory", str(root), *(fact for place in TELLING for fact in _facts(root / place)))
        except OSError as error:
            raise ImageError(f"cannot read the root file system {self.path}: {error}") from error

    def place(self) -> Path:
        """Return the folder, without links in its path.

        Raises:
            ImageError: If there is none.
        """
        if not self.path.is_dir():
            raise ImageError(f"{self.path} is not a folder: name one that holds a root file system")
        return self.path.resolve()

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Nothing is ever built of it: see `place`."""
        raise ImageError(f"{self} is used as it is, and never built")


@dataclass(frozen=True)
class TarLayer(Layer):
    """What a tar archive holds, compressed or not; its key is that of the archive's content.

    *remove* leaves paths out. With *unset_after* (seconds since the epoch) the layer is a fresh one: members with that
    time or a later one have none of their own, and get each session's start.
    """

    path: Path
    unset_after: float | None = None
    remove: tuple[str, ...] = ()
    fresh: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fresh", self.unset_after is not None)

    def __str__(self) -> str:
        return str(self.path)

    @cached_property
    def key(self) -> str:
        """Of the archive's bytes, wherever it lies, and of what is changed in them."""
        return recipe_key("tar", file_key(self.path), self.unset_after, tuple(sorted(self.remove)))

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Unpack it, rewritten before where something is to be changed."""
        if self.unset_after is None and not self.remove:
            refuse_cut_off(self.path)
            layer_builder.unpack(self.path, target)
        else:
            unpack_rewritten(self.path, target, layer_builder, self.unset_after, self.remove)


def unpack_rewritten(
    archive: Path,
    target: Path,
    layer_builder: LayerBuilder,
    unset_after: float | None = None,
    remove: tuple[str, ...] = (),
) -> None:
    """Unpack *archive* as `tarballs.rewrite` leaves it; for owners' sake times are changed there, not in the folder."""
    changed = target.parent / "changed.tar"
    rewrite(archive, changed, unset_after=unset_after, remove={clean(path) for path in remove})
    layer_builder.unpack(changed, target)


def _facts(folder: Path) -> Iterator[tuple[str, int, int, int]]:
    if folder.is_dir():
        for path in (folder, *sorted(folder.iterdir())):
            state = path.lstat()
            yield str(path), state.st_mode, state.st_size, state.st_mtime_ns
