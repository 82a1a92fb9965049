"""What a session's file system is made of: an image is a stack of layers, each a recipe with a content hash.

A recipe is built once into the cache (see `store.py`) and then only mounted. Values here are descriptions: making one
reads at most a few small files and builds nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from intercode_sandbox.images.defaults import ENV
from intercode_sandbox.network.hosts import NONE, NetworkPolicy

UNSET_TIME = 1
"""Modification time, in seconds, that stands for "none of its own" in a *fresh* layer: each session sets it anew."""

LONGEST_AGE = 100_000_000
"""Seconds, somewhat over three years. UNSET_TIME and an age stand for a time that long before the session's start."""


def age_of(mtime_ns: int) -> int | None:
    """Seconds before a session's start that a time in a *fresh* layer stands for; None for a time of a file's own."""
    seconds, rest = divmod(mtime_ns, 10**9)
    return seconds - UNSET_TIME if not rest and 0 <= seconds - UNSET_TIME <= LONGEST_AGE else None


def time_in_session(mtime_ns: int, started_at_ns: int) -> int:
    """Return the time that a file of a *fresh* layer has in a session which began at *started_at_ns*."""
    age = age_of(mtime_ns)
    return mtime_ns if age is None else started_at_ns - age * 10**9


class LayerBuilder(Protocol):
    """What building a layer may ask of the machine; the embedded sandbox offers it to the store."""

    def unpack(self, archive: Path, target: Path) -> None:
        """Unpack a tar archive (plain or compressed) into the empty folder *target*, owners as the sandbox maps them.

        Device nodes are left out.

        Raises:
            ImageError: If it cannot be unpacked. *target* is left for the store to remove.
        """

    def remove(self, folder: Path) -> None:
        """Remove a folder and all below it, whoever in the sandbox owns it."""

    def run_script(
        self, below: tuple[Layer, ...], script: bytes, env: Mapping[str, str], archive: Path, *,
        network: NetworkPolicy = NONE,
    ) -> None:  # fmt: skip
        """Run *script* with bash as root on the layers *below*, and write what it changed to *archive*, a layer's tar.

        It has a *network*, or none, as `Limits` says.

        Deleted paths are character devices 0/0, as overlayfs wants them.

        Raises:
            ImageError: If the script fails. Holds its last output.
        """


@dataclass(frozen=True, slots=True)
class Mount:
    """A built layer, ready to be mounted: `path` on this machine; `fresh` layers get times anew in each session.

    `foreign`: its owners are this machine's own users and must be mapped (the machine's /usr, a given directory).
    `binds`: paths of this machine → paths in the session, where they are mounted read-only on top of the stack; what is
    below them has this machine's owners, whatever `foreign` says. `env` and `workdir` are what the layer says itself of
    the commands run on it, where it says anything (an image of containers does).
    """

    path: Path
    fresh: bool = False
    foreign: bool = False
    binds: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    workdir: str = ""


SETTINGS = "settings.json"
"""The file beside a built layer's content: what it says of commands, where it says anything."""


class Layer(ABC):
    """One recipe. Subclasses are frozen dataclasses; `str()` names them to people.

    `key` is all that the content depends on.
    `stacked`: the content depends on the layers below as well (a script sees them), so the store keys it with theirs.
    """

    fresh: bool = False
    foreign: bool = False
    stacked: bool = False

    @cached_property
    @abstractmethod
    def key(self) -> str:
        """A hex digest of the content or, where that cannot be had beforehand, of the whole recipe."""

    @abstractmethod
    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Fill the empty folder *target*; `target.parent` is the place for scratch files, which the store removes.

        May be killed at any time: the store renames when done.

        Raises:
            ImageError: If it cannot be built.
            OSError: If the disk fails.
        """

    def place(self) -> Path | None:
        """Return the folder that is the layer just as it stands, so that nothing is built.

        None for all that is built.
        """
        return None

    def binds(self) -> Mapping[str, str]:
        """Paths of this machine that a session sees read-only, from → to; most layers have none."""
        return {}


@dataclass(frozen=True)
class Image:
    """A named stack of layers, lowest first, and the environment variables that commands get.

    `reproducible` is False where the content depends on the machine (the `host` image): results are labelled so.
    `workdir` is where a shell begins. Where the lowest layer is an image of containers, that decides over both unless
    they are given; it is asked when a session starts (see `known`).
    """

    name: str
    layers: tuple[Layer, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    hostname: str = "intercode"
    reproducible: bool = True
    workdir: str = "/"
    known_as: str = ""
    """The digest of the image that this one is, with its environment known."""

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits that tell this content from any other; names and hosts play no part."""
        text = "\n".join([*(layer.key for layer in self.layers), repr(sorted(self.env.items())), self.hostname])
        return self.known_as or sha256(text.encode()).hexdigest()[:16]

    def known(self, env: Mapping[str, str], workdir: str) -> Image:
        """Return the same image, digest and all, for a session: with what its lowest layer says of commands."""
        if not env and not workdir:
            return self
        everything = {**ENV, **env, **self.env}
        return replace(self, env=everything, workdir=workdir or self.workdir, known_as=self.digest)

    def with_layers(self, *layers: Layer, name: str = "", env: Mapping[str, str] | None = None) -> Image:
        """Return the same image with *layers* on top (and more environment variables)."""
        return replace(
            self, name=name or self.name, layers=(*self.layers, *layers), env={**self.env, **(env or {})}, known_as=""
        )


Progress = Callable[[str], None]
"""Called with one line of text whenever something slow begins."""
