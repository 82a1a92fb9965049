"""Our images as the engine's: each layer of a stack is one there too, made once, named by its content."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from intercode_sandbox.errors import ImageError, SandboxError
from intercode_sandbox.images import Image, Layer
from intercode_sandbox.images.builders import ImageSettings
from intercode_sandbox.images.container_layers import ContainerLayer, DockerfileLayer, RecipeLayer
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.image import Progress
from intercode_sandbox.images.script_layer import ScriptLayer, last_words
from intercode_sandbox.images.tar_archives import BLOCK, refuse_cut_off
from intercode_sandbox.network.hosts import NONE, NetworkPolicy
from intercode_sandbox.util import paths
from intercode_sandbox.util.locks import locked

REPOSITORY = "intercode/layers"
"""Of all images made here; the tag is the key of the stack."""

LABEL = "intercode.owner"
"""The label on everything that belongs to a process and goes with it."""

IMAGE_LABEL = "intercode.image"
"""The label on what is kept: images made of our layers."""

RunScript = Callable[[tuple[Layer, ...], ScriptLayer, str], None]
"""Run a script on layers (1), and commit what it did under a name (2)."""


class ImageEngine(Protocol):
    """What the store asks of an engine, whichever way it is spoken to. All of it raises SandboxError."""

    def has_image(self, name: str) -> bool:
        """Return whether it is there."""

    def image(self, name: str) -> Mapping[str, Any]:
        """Return what there is to know of an image."""

    def load(self, name: str, blocks: Iterable[bytes], labels: Mapping[str, str], title: str = "") -> str:
        """Import a root file system, the blocks of a tar archive, as the image *name*; its id. *title*: for people."""

    def build(self, folder: Path, name: str, labels: Mapping[str, str]) -> str:
        """Build the Dockerfile in *folder* as the image *name*; its id."""

    def pull(self, name: str) -> None:
        """Fetch an image from its registry."""

    def tag(self, image: str, name: str) -> None:
        """Give an image another name."""

    def create_idle(self, name: str, image: str) -> str:
        """Make a container of *image*, called *name*, that is never to run; its id."""

    def unpack(self, container: str, archive: Path) -> None:
        """Unpack a tar archive at the root of a container that was never started."""

    def commit(self, container: str, *, name: str = "", labels: Mapping[str, str]) -> str:
        """Make an image of a container as it stands; the image's id."""

    def remove(self, container: str) -> None:
        """Kill and remove a container; harmless where it is gone."""


UNSET = 'find / -xdev -newermt "@$0" -exec touch -h -d @1 {} +'
"""Gives what a script has made the time that stands for none of its own."""


class SetUpResult(Protocol):
    """How a command of a set-up script ended."""

    @property
    def exit_code(self) -> int:
        """0 where it succeeded."""

    @property
    def timed_out(self) -> bool:
        """Return whether its time limit ended it."""

    @property
    def text(self) -> str:
        """Return what it printed."""


class SetUpSession(Protocol):
    """A session, as far as set-up scripts need one."""

    @property
    def image(self) -> Image:
        """Return what it started from."""

    def run(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None) -> SetUpResult:
        """Run a command and wait for it."""


def set_up_image(below: tuple[Layer, ...]) -> Image:
    """Return what a set-up script starts from: the layers below its own."""
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return Image("set-up", below, env={"HOME": "/root", "PATH": path})


def run_set_up(session: SetUpSession, layer: ScriptLayer) -> None:
    """Run the script of *layer* in a session of `set_up_image`.

    Raises:
        ImageError: If it fails; the message has its last line.
    """
    started = int(time.time())
    script = layer.script if isinstance(layer.script, str) else layer.script.decode("utf-8", "surrogateescape")
    done = session.run(["/bin/bash", "-c", script], env={**session.image.env, **layer.env})
    if done.exit_code == 0 and layer.fresh:
        done = session.run(["/bin/bash", "-c", UNSET, str(started)])
    if done.exit_code:
        how = "was stopped at its time limit" if done.timed_out else f"ended with status {done.exit_code}"
        raise ImageError(f"{layer}: {how}; {last_words(done.text.encode())}")


class EngineImageStore:
    """Finds, or makes, the engine's image for a stack of layers. Safe to use from several threads and processes."""

    def __init__(self, engine: ImageEngine, run_script: RunScript, progress: Progress) -> None:
        self._engine = engine
        self._run_script = run_script
        self._progress = progress
        self._known: set[str] = set()

    def names(self, image: Image) -> Sequence[str]:
        """Names of the engine's images for every layer of *image*, lowest first.

        Raises:
            ImageError: If a layer cannot be built.
            SandboxError: If the engine fails.
        """
        if not image.layers:
            raise ImageError(f"the image {image.name!r} has no layers: nothing to start from")
        return [self._ensure(image.layers[:count]) for count in range(1, len(image.layers) + 1)]

    def _ensure(self, stack: tuple[Layer, ...]) -> str:
        name = f"{REPOSITORY}:{recipe_key('engine', *(layer.key for layer in stack))[:40]}"
        if name in self._known:
            return name
        folder = paths.cache() / "engine"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(folder / f"{name.rpartition(':')[2]}.lock", lambda: self._progress(f"waiting for {stack[-1]}")):
            if not self._engine.has_image(name):
                self._progress(f"building {stack[-1]} for the container engine: needed once, may take minutes")
                self._make(stack, name, folder)
        self._known.add(name)
        return name

    def _make(self, stack: tuple[Layer, ...], name: str, folder: Path) -> None:
        layer, below = stack[-1], stack[:-1]
        if isinstance(layer, ScriptLayer):
            self._run_script(below, layer, name)
            return
        if isinstance(layer, ContainerLayer) and not below:
            self._adopt(layer, name)
            return
        with _archive(layer, below, folder / f"layer-{name.rpartition(':')[2]}") as archive:
            if below:
                self._add(self._ensure(below), archive, name, layer)
            else:
                self._engine.load(name, _blocks(archive), cached_image(layer), title=str(layer))

    def _adopt(self, layer: ContainerLayer, name: str) -> None:
        """An image of containers is used as it is: built here, or found here, or fetched."""
        if isinstance(layer, RecipeLayer):
            with layer.folder() as folder:
                self._engine.build(folder, name, cached_image(layer))
            return
        if isinstance(layer, DockerfileLayer):
            self._engine.build(layer.folder, name, cached_image(layer))
            return
        if not self._engine.has_image(str(layer)):
            if "@" not in str(layer):
                raise ImageError(f"the container engine has no image with the id {layer}: `docker images --no-trunc`")
            self._engine.pull(str(layer))
        self._engine.tag(str(layer), name)

    def settings(self, image: Image) -> tuple[Mapping[str, str], str]:
        """Return what the lowest layer says of commands, where it is an image of containers.

        Raises:
            SandboxError: If the engine fails.
        """
        if not isinstance(image.layers[0], ContainerLayer):
            return {}, ""
        facts = self._engine.image(self._ensure(image.layers[:1]))
        refuse_volumes(facts, image.name)
        said = ImageSettings.of(facts.get("Config") or {})
        return said.env, said.workdir

    def _add(self, base: str, archive: Path, name: str, layer: Layer) -> None:
        """The image *base* with *archive* on top, as *name*: unpacked by the engine in a container that never runs."""
        container = self._engine.create_idle(f"intercode-{os.getpid()}-{name.rpartition(':')[2][:12]}", base)
        try:
            self._engine.unpack(container, archive)
            self._engine.commit(container, name=name, labels=cached_image(layer))
        finally:
            self._engine.remove(container)


def cached_image(layer: Layer) -> Mapping[str, str]:
    """Labels of an image that stays when the process that made it is gone."""
    return {IMAGE_LABEL: str(layer), LABEL: ""}


class _Collector:
    """A layer builder that only takes an archive in: the engine unpacks it itself."""

    def __init__(self) -> None:
        self.archive: Path | None = None

    def unpack(self, archive: Path, target: Path) -> None:
        """See `LayerBuilder.unpack`."""
        self.archive = archive

    def remove(self, folder: Path) -> None:
        """Nothing was made."""

    def run_script(
        self, below: tuple[Layer, ...], script: bytes, env: Mapping[str, str], archive: Path, *,
        network: NetworkPolicy = NONE,
    ) -> None:  # fmt: skip
        """Raise ImageError: scripts run in containers, see `EngineImageStore`."""
        raise ImageError("only layers that are scripts themselves can run one in a container")


@contextmanager
def _archive(layer: Layer, below: tuple[Layer, ...], scratch: Path) -> Iterator[Path]:
    """Provide the tar archive that *layer* is unpacked from.

    It lies in *scratch*, which a killed build may have left.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(mode=0o700)
    try:
        yield _archive_layer(layer, below, scratch)
    finally:
        shutil.rmtree(scratch)


def _archive_layer(layer: Layer, below: tuple[Layer, ...], scratch: Path) -> Path:
    place, collector = layer.place(), _Collector()
    if place is not None:
        return _pack_folder(place, scratch / "layer.tar")
    target = scratch / "root"
    target.mkdir()
    layer.build(target, collector, below)
    if collector.archive is None:
        raise ImageError(f"{layer} cannot be exported as an archive: use it with --sandbox embedded")
    refuse_cut_off(collector.archive)
    return collector.archive


def _pack_folder(folder: Path, archive: Path) -> Path:
    command = ["tar", "--create", "--numeric-owner", "--exclude=./dev/*", f"--file={archive}", f"--directory={folder}"]
    done = subprocess.run([*command, "."], capture_output=True, text=True, check=False, start_new_session=True)
    if done.returncode:
        raise ImageError(f"{folder} cannot be read as a root file system: {done.stderr.strip()[-200:]}")
    return archive


def _blocks(archive: Path) -> Iterator[bytes]:
    with archive.open("rb") as file:
        yield from iter(partial(file.read, BLOCK), b"")


def refuse_volumes(facts: Mapping[str, object], name: str) -> None:
    """Raise SandboxError for an image that declares volumes: what is written there is on no layer, nor judged."""
    config = facts.get("Config")
    declared = sorted((config.get("Volumes") or {}) if isinstance(config, Mapping) else {})
    if declared:
        raise SandboxError(
            f"the image {name} declares volumes ({', '.join(declared)}): what is written there is on no layer of a "
            "container and cannot be judged; use it with --sandbox embedded"
        )


def label_lines(labels: Mapping[str, str]) -> list[str]:
    """As a Dockerfile has them, where a dollar would be a variable's."""
    texts = {key: json.dumps(value, ensure_ascii=False).replace("$", r"\$") for key, value in labels.items()}
    return [f"LABEL {key}={text}" for key, text in texts.items()]
