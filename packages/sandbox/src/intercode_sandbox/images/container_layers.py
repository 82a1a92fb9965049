"""Images of containers as layers of ours: a Dockerfile to be built, or an image by its digest.

The embedded sandbox exports them once into its cache; the docker sandbox uses them as they are.
"""

from __future__ import annotations

import json
import os
import platform
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from intercode_sandbox.errors import ImageError, UnknownNameError
from intercode_sandbox.images.builders import Builder, builder
from intercode_sandbox.images.defaults import ENV, HOSTNAME, HOSTS
from intercode_sandbox.images.digests import file_key, recipe_key
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.image import SETTINGS, Image, Layer, LayerBuilder

DIGEST = re.compile(r"(?P<name>[^@]*@)?sha256:[0-9a-f]{64}\Z")
FROM = re.compile(r"^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE | re.MULTILINE)

NETWORK_FILES = FilesLayer(
    {"etc/hostname": f"{HOSTNAME}\n", "etc/hosts": HOSTS, "etc/resolv.conf": ""},
    title="names of a machine without a network",
)
"""What engines write anew for each container, and an exported image therefore lacks."""


class ContainerLayer(Layer):
    """The whole root file system of an image of containers."""

    def image_in(self, programs: Builder) -> str:
        """Return the name under which *programs* hold the image, built or fetched now if need be.

        Raises:
            ImageError: If it cannot be had.
        """
        raise NotImplementedError

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Export it, and keep what it says of the environment."""
        programs = builder()
        name = self.image_in(programs)
        archive = target.parent / "image.tar"
        with archive.open("wb") as file:
            programs.export(name, file)
        settings = programs.settings(name)
        (target.parent / SETTINGS).write_text(json.dumps({"env": settings.env, "workdir": settings.workdir}) + "\n")
        layer_builder.unpack(archive, target)


@dataclass(frozen=True)
class DockerfileLayer(ContainerLayer):
    """What the Dockerfile in *folder* builds. The key is that of all files in the folder.

    What its FROM line names and what its commands fetch play no part in the key: name the base by its digest.
    """

    folder: Path

    def __str__(self) -> str:
        return f"{self.folder}/Dockerfile"

    @cached_property
    def key(self) -> str:
        """Of the names, modes and contents of everything in the folder."""
        return recipe_key("dockerfile", *_facts(self.folder))

    @property
    def tag(self) -> str:
        """The name under which it is kept where it is built."""
        return f"intercode/dockerfile:{self.key[:40]}"

    @cached_property
    def pinned(self) -> bool:
        """Return whether every base is named by a digest (or is `scratch`, or a stage of its own)."""
        text = (self.folder / "Dockerfile").read_text("utf-8", "replace")
        bases = FROM.findall(text)
        stages = {stage.lower() for _, stage in bases if stage}
        return all("@sha256:" in base or base.lower() in {"scratch", *stages} for base, _ in bases)

    def image_in(self, programs: Builder) -> str:
        """Build it, unless it is there."""
        if not programs.has(self.tag):
            programs.build(self.folder, self.tag)
        return self.tag


@dataclass(frozen=True)
class RecipeLayer(ContainerLayer):
    """What a Dockerfile builds that needs no files beside it. The key is that of its *text*; *title* is for people."""

    text: str
    title: str

    def __str__(self) -> str:
        return self.title

    @cached_property
    def key(self) -> str:
        """Of the text, and the kind of machine."""
        return recipe_key("recipe", self.text, platform.machine())

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Provide a folder with the Dockerfile alone, for as long as it is built."""
        with TemporaryDirectory(prefix="intercode-recipe-") as name:
            Path(name, "Dockerfile").write_text(self.text, encoding="utf-8", newline="\n")
            yield Path(name)

    def image_in(self, programs: Builder) -> str:
        """Build it, unless it is there."""
        tag = f"intercode/recipe:{self.key[:40]}"
        if not programs.has(tag):
            with self.folder() as folder:
                programs.build(folder, tag)
        return tag


@dataclass(frozen=True)
class DockerImageLayer(ContainerLayer):
    """An image by its digest: `NAME@sha256:…` of a registry, or `sha256:…`, the id of one that is here."""

    name: str

    def __str__(self) -> str:
        return self.name

    @cached_property
    def key(self) -> str:
        """Of the digest alone."""
        return recipe_key("docker image", self.name.rpartition("@")[2])

    def image_in(self, programs: Builder) -> str:
        """Fetch it, unless it is there."""
        if not programs.has(self.name):
            if "@" not in self.name:
                raise ImageError(
                    f"{programs.program} has no image with the id {self.name}; `{programs.program} images`"
                )
            programs.pull(self.name)
        return self.name


def distribution_image(name: str, suite: str, packages: tuple[str, ...], *, recommends: bool = True) -> Image:
    """Return the image *name* where this is no Linux.

    The registry's image *suite*, with *packages* that a build installs.
    """
    install = f"apt-get install --yes {'' if recommends else '--no-install-recommends '}{' '.join(packages)}"
    text = (
        f"FROM {suite}\n"
        f"RUN apt-get update && DEBIAN_FRONTEND=noninteractive {install} "
        "&& rm -rf /var/lib/apt/lists/* && find /var/log -type f -name '*.log' -delete\n"
    )
    return Image(name, (RecipeLayer(text, name), NETWORK_FILES), ENV, HOSTNAME, reproducible=False)


def dockerfile(folder: Path) -> Image:
    """Return the image of a folder with a Dockerfile."""
    layer = DockerfileLayer(folder.resolve())
    return Image(folder.resolve().name, (layer, NETWORK_FILES), {}, HOSTNAME, reproducible=layer.pinned)


def docker_image(name: str) -> Image:
    """Return the image `docker:NAME`.

    Raises:
        UnknownNameError: For a name without a digest: it means another image tomorrow.
    """
    if not DIGEST.match(name):
        raise UnknownNameError(
            f"docker:{name} has no digest and may be another image tomorrow: write docker:NAME@sha256:… (a registry) "
            f"or docker:sha256:… (of one that is here: `docker image inspect --format '{{{{.Id}}}}' {name}`)"
        )
    return Image(f"docker:{name}", (DockerImageLayer(name), NETWORK_FILES), {}, HOSTNAME)


def pinned_name(name: str) -> str:
    """Return the digest of what *name* is now, where it has none: that of the image here, fetched if need be.

    Raises:
        ImageError: If no program here holds images of containers, or it cannot be fetched.
    """
    if DIGEST.match(name):
        return name
    programs = builder()
    if not programs.has(name):
        programs.pull(name)
    return programs.id(name)


def _facts(folder: Path) -> Iterator[tuple[str, int, str]]:
    for path in sorted(Path(place, name) for place, folders, files in os.walk(folder) for name in (*folders, *files)):
        mode = path.lstat().st_mode
        content = os.readlink(path) if path.is_symlink() else file_key(path) if path.is_file() else ""
        yield str(path.relative_to(folder)), stat.S_IMODE(mode), content
