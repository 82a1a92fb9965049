"""What a run's machines are sent once, through Ray's object store: the data set, and the golds that are known.

A node takes from it only what it lacks: data by its checksum, golds by names that are digests of all they depend on.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from intercode import __version__
from intercode.datasets.base import Dataset
from intercode.errors import BadDataError, UserError
from intercode.runs.factories import load, needs_sandbox
from intercode.runs.manifest import Manifest
from intercode.runs.provenance import images_of
from intercode.runs.settings import Settings
from intercode.util.atomic_write import write_text
from intercode_sandbox.util import paths

MOST_GOLDS = 64 << 20
"""Bytes of golds that are sent; newer ones go first."""

OTHER_IMAGE = (
    "this node has another image {name} than the machine that began the run, so its results would differ: use an image "
    "that is the same everywhere, such as --image debian"
)


@dataclass(frozen=True)
class Parcel:
    """What is sent. `data` is the pickled data set, b"" where it cannot be one; `golds` are files of the cache."""

    version: str
    checksum: str
    tasks: tuple[str, ...]
    images: Mapping[str, str]
    data: bytes
    golds: Mapping[str, str]

    @classmethod
    def of(cls, manifest: Manifest) -> Self:
        """Return what nodes need for the run of *manifest*."""
        settings = manifest.settings
        images = manifest.images if needs_sandbox(settings) else {}
        golds = _golds() if manifest.reproducible else {}
        checksum = next(iter(manifest.data.values()))
        return cls(__version__, checksum, manifest.tasks, images, _pickle(settings), golds)

    def unpack(self, settings: Settings) -> Dataset:
        """Return the data set of *settings* on this node; the golds are in its cache from now on.

        Raises:
            UserError: If this node would play another run: by its version, its data or its image.
        """
        if self.version != __version__:
            raise UserError(f"a node has InterCode {__version__}, the run began with {self.version}: install the same")
        dataset = self._dataset(settings)
        self._compare_images(settings, dataset)
        _keep(self.golds)
        return dataset

    def _compare_images(self, settings: Settings, dataset: Dataset) -> None:
        if not self.images:
            return
        chosen = frozenset(self.tasks)
        used = images_of(settings, dataset, [task for task in dataset if task.id in chosen])
        here = {image.name: image.digest for image in used}
        for name, digest in self.images.items():
            if here.get(name) != digest:
                raise UserError(OTHER_IMAGE.format(name=name))

    def _dataset(self, settings: Settings) -> Dataset:
        """Return the node's own copy if it is the same, else the one that was sent."""
        try:
            dataset = load(settings)
        except (UserError, BadDataError):
            if not self.data:
                raise
        else:
            if dataset.checksum == self.checksum:
                return dataset
        if not self.data:
            raise UserError(
                f"the data of {settings.dataset} is another on this node: put it on a folder that all share"
            )
        found: Dataset = pickle.loads(self.data)
        return found


def _pickle(settings: Settings) -> bytes:
    """Return the data set as a pickle; b"" for one whose class is in a file, which others could not import."""
    if settings.dataset.endswith(".py"):
        return b""
    try:
        return pickle.dumps(load(settings))
    except (TypeError, AttributeError, pickle.PicklingError):
        return b""


def _golds() -> dict[str, str]:
    """Return the golds of this machine's cache, by their paths in it, the newest first."""
    folder, found, left = paths.cache() / "golds", dict[str, str](), MOST_GOLDS
    files = sorted(folder.glob("*/*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files:
        text = path.read_text()
        left -= len(text)
        if left < 0:
            break
        found[str(path.relative_to(folder))] = text
    return found


def _keep(golds: Mapping[str, str]) -> None:
    folder = paths.cache() / "golds"
    with suppress(OSError):  # a cache that cannot be written is no reason to stop
        for name, text in golds.items():
            path = folder / name
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_text(path, text, mode=0o600)
