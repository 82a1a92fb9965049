"""The cache of built layers: a folder for each key, with the content in `KEY/root` and its label in `KEY/layer.json`.

What is there under its key is whole: a layer is filled in a folder beside it (`KEY.partial-…`) and renamed when all of
it is on disk. It is built once, whoever asks at the same time, and not removed while a store somewhere uses it. The
folder may lie on a disk that cannot be written, as long as everything asked for is built.
"""

from __future__ import annotations

import json
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from intercode_sandbox.errors import ImageError, UnknownNameError, UserError
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.disk_usage import allocated_bytes, is_full, sync
from intercode_sandbox.images.image import SETTINGS, Image, Layer, LayerBuilder, Mount, Progress
from intercode_sandbox.util import paths
from intercode_sandbox.util.locks import hold, locked, unheld

LABEL = "layer.json"
PARTIAL = ".partial-"
WAY_OUT = "free some space, mend its permissions, or name another folder in INTERCODE_CACHE"


@dataclass(frozen=True, slots=True)
class Built:
    """A layer in the cache. `built_at` is in seconds since the epoch, `seconds` how long it took, `size` in bytes."""

    key: str
    recipe: str
    built_at: float
    seconds: float
    size: int


def silent(text: str) -> None:
    """Progress that nobody looks at."""


class ImageStore:
    """Builds layers into *root* (default: `layers` in the cache directory) and tells where they are.

    Safe to use from several threads, and by several processes with the same *root*. Nothing is made on disk before
    the first build.
    """

    def __init__(self, root: Path | None = None, *, layer_builder: LayerBuilder, progress: Progress = silent) -> None:
        self.root = (root or paths.cache() / "layers").absolute()
        self.layer_builder = layer_builder
        self.progress = progress
        self._held: dict[str, int] = {}
        self._guard = threading.Lock()
        weakref.finalize(self, _release, self._held)

    def close(self) -> None:
        """Let go of the layers: from now on they may be removed, unless others use them."""
        with self._guard:
            _release(self._held)

    def mounts(self, image: Image) -> tuple[Mount, ...]:
        """Return where the layers of *image* are, lowest first; those that are missing are built now.

        They stay until this store is closed or gone. Of a layer that comes twice only the upper one is mounted: it
        covers all of the lower one, and overlayfs takes no folder twice.

        Raises:
            ImageError: If one cannot be built or the lowest is no root file system.
        """
        if not image.layers:
            raise ImageError(f"the image {image.name!r} has no layers: nothing to start from")
        found = [self._mount(image.layers[:count]) for count in range(1, len(image.layers) + 1)]
        highest = {mount.path: place for place, mount in enumerate(found)}
        return tuple(mount for place, mount in enumerate(found) if highest[mount.path] == place)

    def built(self) -> tuple[Built, ...]:
        """Return all whole layers in the cache, oldest first."""
        folders = self.root.iterdir() if self.root.is_dir() else ()
        labels = [self._label(folder.name) for folder in folders if PARTIAL not in folder.name]
        return tuple(sorted((label for label in labels if label), key=lambda label: label.built_at))

    def remove(self, key: str) -> None:
        """Remove a layer.

        Raises:
            UnknownNameError: If there is no such layer.
            UserError: While a store, here or in another process, uses it.
        """
        if key not in {label.key for label in self.built()}:
            raise UnknownNameError(f"no layer {key!r} in {self.root}; `intercode images list` lists what there is")
        with self._explain_errors(f"cannot remove {key}"), locked(self._lock_file(key), lambda: self._say_waiting(key)):
            try:
                with unheld(self.root / key / LABEL):
                    gone = self._partial_folder(key) / key
                    (self.root / key).rename(gone)
                    self.layer_builder.remove(gone.parent)
            except BlockingIOError as error:
                raise UserError(f"the layer {key} is in use: end the run that uses it, then try again") from error

    def prune(self) -> tuple[Built, ...]:
        """Remove all layers that nobody uses, and what killed builds have left; return the layers removed."""
        with self._explain_errors("cannot clear up"):
            self._sweep()
        return tuple(label for label in self.built() if self._remove_layer(label.key))

    def _mount(self, stack: tuple[Layer, ...]) -> Mount:
        layer = stack[-1]
        given = layer.place()
        path = given or self._ensure(stack)
        said = {} if given else _settings(path.parent)
        if len(stack) == 1 and not layer.binds():
            _refuse_unless_root(path, layer)
        return Mount(path, layer.fresh, layer.foreign, layer.binds(), **said)

    def _ensure(self, stack: tuple[Layer, ...]) -> Path:
        """The content of the uppermost layer of *stack*, built if need be, and held so that nobody removes it."""
        key = address(stack)
        with self._explain_errors(f"cannot build {stack[-1]}"):
            while not self._hold(key):
                self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
                with locked(self._lock_file(key), lambda: self._say_waiting(str(stack[-1]))):
                    if self._label(key) is None:
                        self._build(key, stack)
        return self.root / key / "root"

    def _hold(self, key: str) -> bool:
        with self._guard:
            if key not in self._held and self._label(key):
                descriptor = hold(self.root / key / LABEL)
                if descriptor is not None:
                    self._held[key] = descriptor
            return key in self._held

    def _build(self, key: str, stack: tuple[Layer, ...]) -> None:
        """Build it, with the lock of *key* held: whatever partial folder of that key there is, its builder is dead."""
        self._sweep(key)
        self.progress(f"building {stack[-1]}: needed once, may take minutes")
        folder = self._partial_folder(key)
        try:
            self._fill(folder, key, stack)
            folder.rename(self.root / key)
        except BaseException as error:
            full = is_full(self.root)  # asked before room is made
            self._discard(folder)
            if full and isinstance(error, ImageError):
                raise ImageError(f"{error} (the disk of {self.root} is full: {WAY_OUT})") from error
            raise
        sync(self.root)

    def _fill(self, folder: Path, key: str, stack: tuple[Layer, ...]) -> None:
        """Content first, then the label, and all of it on disk before the caller renames *folder*."""
        started = time.time()
        target = folder / "root"
        target.mkdir()
        target.chmod(0o755)
        stack[-1].build(target, self.layer_builder, stack[:-1])
        for scratch in folder.iterdir():
            if scratch not in (target, folder / SETTINGS):
                scratch.unlink()
        label = Built(key, str(stack[-1]), started, round(time.time() - started, 3), allocated_bytes(target))
        (folder / LABEL).write_text(json.dumps(asdict(label), indent=1) + "\n")
        sync(folder)

    def _label(self, key: str) -> Built | None:
        """Return what the cache has under *key*, or None where there is nothing whole."""
        try:
            return Built(**json.loads((self.root / key / LABEL).read_bytes()))
        except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
            return None

    def _remove_layer(self, key: str) -> bool:
        try:
            self.remove(key)
        except UserError:  # in use, or removed by somebody else in the meantime
            return False
        return True

    def _sweep(self, mine: str = "") -> None:
        """Remove what dead builders have left: all whose key nobody has locked, and what is there of *mine*."""
        if mine and (self.root / mine).exists():
            self._discard(self.root / mine)
        for folder in self.root.glob(f"*{PARTIAL}*"):
            key = folder.name.partition(PARTIAL)[0]
            if key == mine:
                self._discard(folder)
                continue
            try:
                with locked(self._lock_file(key)):
                    self._discard(folder)
            except BlockingIOError:
                continue

    def _discard(self, folder: Path) -> None:
        try:
            self.layer_builder.remove(folder)
        except (ImageError, OSError) as error:
            self.progress(f"left behind: {folder} could not be removed: {error}")

    def _partial_folder(self, key: str) -> Path:
        return Path(mkdtemp(prefix=key + PARTIAL, dir=self.root))

    def _lock_file(self, key: str) -> Path:
        return self.root / f"{key}.lock"

    def _say_waiting(self, name: str) -> None:
        self.progress(f"waiting for {name}: somebody else is at it")

    @contextmanager
    def _explain_errors(self, what: str) -> Iterator[None]:
        """Turn what the disk says into an ImageError that names the folder and the way out."""
        try:
            yield
        except OSError as error:
            raise ImageError(f"{what} in {self.root}: {error}; {WAY_OUT}") from error


def address(stack: tuple[Layer, ...]) -> str:
    """Return the key under which the uppermost layer of *stack* is kept.

    Its own, or one that counts those below as well.
    """
    layer = stack[-1]
    return recipe_key("stack", *(each.key for each in stack)) if layer.stacked else layer.key


def _refuse_unless_root(folder: Path, layer: Layer) -> None:
    """Raise ImageError unless there is a shell in *folder*. Links are not followed: they would lead out of it."""
    try:
        places = ["usr/bin/sh"] if (folder / "bin").is_symlink() else ["usr/bin/sh", "bin/sh"]
        found = any(_is_there(folder / place) for place in places)
    except PermissionError:
        return  # in a folder private to a user of the sandbox: not to be judged from here
    if not found:
        raise ImageError(f"{layer} is not a root file system: it has no /bin/sh and no /usr/bin/sh")


def _settings(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / SETTINGS).read_bytes())
    except (OSError, ValueError):
        return {}
    return found


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _release(held: dict[str, int]) -> None:
    for descriptor in held.values():
        os.close(descriptor)
    held.clear()
