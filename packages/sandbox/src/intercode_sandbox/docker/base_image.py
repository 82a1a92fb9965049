"""What sessions of one image stand on: the engine's image, its layers' folders, and what each session is given anew."""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from intercode_sandbox.docker.ctime_diff import ReferenceContainer
from intercode_sandbox.docker.engine import Engine
from intercode_sandbox.docker.layer_folders import close_layers, folders, open_layers, why_unreadable
from intercode_sandbox.images import Image
from intercode_sandbox.images.defaults import HOSTNAME, HOSTS
from intercode_sandbox.images.files_layer import CREATED
from intercode_sandbox.images.image import age_of
from intercode_sandbox.sandbox import Change

GIVEN = ("/etc/hostname", "/etc/hosts", "/etc/resolv.conf")
"""Files that an engine lays over every container: they are on no layer, and are looked at one by one."""


@dataclass(frozen=True, slots=True)
class ProvidedFile:
    """One of the `GIVEN` files as the image or a snapshot has it: `content` is None where it has none.

    `gone`: it was deleted before the snapshot; the engine makes it anew.
    """

    path: str
    content: bytes | None
    mode: int = 0o644
    owner: tuple[int, int] = (0, 0)
    mtime_ns: int = 0
    gone: bool = False


USUAL = tuple(
    ProvidedFile(path, content.encode(), mtime_ns=CREATED * 10**9)
    for path, content in zip(GIVEN, (f"{HOSTNAME}\n", HOSTS, ""), strict=True)
)
"""As all our images have them. Where layers cannot be read those of other images count as the same."""


@dataclass(eq=False)
class BaseImageState:
    """Everything that sessions of an image, or branches of a snapshot, share.

    `lowers` are the layers' folders, open, highest first. `unset` are the paths that have no time of their own, and how
    many seconds before each session's start theirs is. `before` is how the snapshot differs from the image; nothing for
    the image itself.
    """

    image: Image
    name: str
    binds: Mapping[str, str]
    lowers: Sequence[tuple[int, int]]
    given: Sequence[ProvidedFile]
    unset: Mapping[str, int] = field(default_factory=dict)
    before: Mapping[str, Change] = field(default_factory=dict)
    is_branch: bool = False
    reference: ReferenceContainer | None = None
    """Where it is seen how files were, if layers cannot be read; `lowers` is empty then."""

    def __post_init__(self) -> None:
        self.close: Callable[[], object] = weakref.finalize(self, close_layers, list(self.lowers))
        """Let go of the layers' folders, now rather than when nobody holds this any more."""


def read_base_image(engine: Engine, image: Image, names: Sequence[str]) -> BaseImageState:
    """Return the state of *image* (its environment known), whose layers the engine has by *names*.

    Raises:
        SandboxError: If no container of it can be had or read.
    """
    if why_unreadable(engine.facts):
        return BaseImageState(image, names[-1], _binds(image), (), USUAL)
    lowers = open_layers(folders(engine.image(names[-1])))
    fresh = [name for name, layer in zip(names, image.layers, strict=True) if layer.fresh]
    binds = _binds(image)
    candidates = sorted({path for name in fresh for path in _unset(folders(engine.image(name))[0])})
    ages = {path: _age(lowers, path) for path in candidates if not _is_below(path, binds.values())}
    unset = {path: age for path, age in ages.items() if age is not None}
    return BaseImageState(image, names[-1], binds, lowers, [_provided_file(lowers, path) for path in GIVEN], unset)


def with_reference(base_state: BaseImageState, reference: ReferenceContainer) -> BaseImageState:
    """Return *base_state* with a container to compare with, and the paths that have no time, which are seen in that."""
    fresh = any(layer.fresh for layer in base_state.image.layers) and not base_state.is_branch
    found = reference.unset() if fresh else {}
    unset = {path: age for path, age in found.items() if not _is_below(path, base_state.binds.values())}
    return replace(base_state, reference=reference, unset=unset)


def _binds(image: Image) -> Mapping[str, str]:
    return {source: target for layer in image.layers for source, target in layer.binds().items()}


def _unset(layer: str) -> Iterator[str]:
    """Paths in a layer that have no time of their own."""
    for place, subfolders, files in os.walk(layer):
        for name in (*subfolders, *files):
            found = os.lstat(os.path.join(place, name))
            if age_of(found.st_mtime_ns) is not None and not stat.S_ISCHR(found.st_mode):
                yield "/" + os.path.relpath(os.path.join(place, name), layer)


def _age(lowers: Sequence[tuple[int, int]], path: str) -> int | None:
    """Return the age that the highest layer which has the path gives it; a higher one may have replaced it."""
    for _, layer in lowers:
        try:
            return age_of(os.stat(path.lstrip("/"), dir_fd=layer, follow_symlinks=False).st_mtime_ns)
        except OSError:
            continue
    return None


def _is_below(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def _provided_file(lowers: Sequence[tuple[int, int]], path: str) -> ProvidedFile:
    """Return the file as the highest layer has it that has it at all."""
    for _, layer in lowers:
        if (found := _regular(layer, path)) is not None:
            return found
    return ProvidedFile(path, None)


def _regular(layer: int, path: str) -> ProvidedFile | None:
    base = Path(f"/proc/self/fd/{layer}")
    place = base / path.lstrip("/")
    if place.parent.is_symlink() or place.is_symlink() or not place.is_file():
        return None
    status = place.stat()
    return ProvidedFile(
        path, place.read_bytes(), stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid), status.st_mtime_ns
    )
