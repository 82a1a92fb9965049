"""The engine, by Docker's own Python package.

All else names containers and images by id and is told what went wrong as a SandboxError.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from intercode.errors import SandboxError
from intercode.sandboxes.core.process_identity import this_process
from intercode.sandboxes.docker.engine_connection import EngineConnection
from intercode.sandboxes.docker.engine_errors import is_gone, status, translate_errors
from intercode.sandboxes.images.engine_store import LABEL, label_lines
from intercode.sandboxes.images.tar_archives import up_to_its_end

ENDING_SECONDS, ENDING_LOOKS = 2.0, 10
"""For how long, and how often, the engine is asked whether a container has ended."""

NO_LIMITS = (
    "this container engine holds no limits on memory and processes ({why}): use one that root runs, one on version "
    "2 of control groups, or --sandbox embedded"
)


class Engine(EngineConnection):
    """A running engine: its containers, networks and images. See `EngineConnection`.

    Raises:
        SandboxError: If none answers; so does all that is asked of it.
    """

    def __init__(self, url: str = "") -> None:
        super().__init__(url)
        self._holds_limits = False

    # Containers

    def create(self, name: str, config: Mapping[str, Any]) -> str:
        """Make a container and return its id; *config* is what the engine's interface calls so."""
        if self.why_no_limits:
            raise SandboxError(NO_LIMITS.format(why=self.why_no_limits))
        with translate_errors(f"making a container of {config['Image']}"):
            made = str(self.api.create_container_from_config(dict(config), name)["Id"])
        self._look_at_limits(made, config.get("HostConfig", {}))
        return made

    def create_idle(self, name: str, image: str) -> str:
        """Make a container of *image*, called *name*, that is never to run; its id."""
        return self.create(name, {"Image": image, "Entrypoint": ["/none"], "Labels": {LABEL: this_process()}})

    def _look_at_limits(self, container: str, limits: Mapping[str, Any]) -> None:
        """Raise SandboxError where those *limits* were left out without a word; the *container* is gone then. Once."""
        if self._holds_limits or "Memory" not in limits:
            return
        taken = self.container(container)["HostConfig"]
        if lost := [name for name in ("Memory", "PidsLimit") if limits.get(name) and not taken.get(name)]:
            self.remove(container)
            raise SandboxError(NO_LIMITS.format(why=f"it left out {' and '.join(lost)}"))
        self._holds_limits = True

    def start(self, container: str) -> None:
        """Start its process 1."""
        with translate_errors("starting a container"):
            self.api.start(container)

    def container(self, container: str) -> Mapping[str, Any]:
        """What there is to know of a container."""
        with translate_errors("looking at a container"):
            return dict(self.api.inspect_container(container))

    def containers(self, label: str) -> Sequence[Mapping[str, Any]]:
        """All containers with *label*, running or not: `Id`, `Labels`, `State`."""
        with translate_errors("listing containers"):
            return list(self.api.containers(all=True, filters={"label": label}))

    def remove(self, container: str) -> None:
        """Kill and remove a container with its volumes; harmless where it is gone or going."""
        try:
            with translate_errors("removing a container"):
                self.api.remove_container(container, force=True, v=True)
        except SandboxError as error:
            if not is_gone(error):
                raise

    def is_left_alone(self, container: str) -> bool:
        """Whether a container runs or has ended by itself: not by the engine, nor, as far as that knows, with it."""
        for _ in range(ENDING_LOOKS):  # an end is told a moment after it was
            events = self._events(container)
            if events & {"die", "died"}:
                return "kill" not in events
            time.sleep(ENDING_SECONDS / ENDING_LOOKS)
        try:
            return bool(self.container(container)["State"]["Running"])
        except SandboxError as error:
            if is_gone(error):
                return False
            raise

    def _events(self, container: str) -> set[str]:
        """What has happened to a container lately."""
        now = time.time()
        with translate_errors("asking what has become of a container"):
            since, until = f"{now - 3600:.6f}", f"{now:.6f}"
            events = self.api.events(since=since, until=until, filters={"container": container}, decode=True)
            return {str(each.get("Action") or each.get("status")) for each in events}

    def changed(self, container: str) -> list[str]:
        """The paths at which it differs from its image, as far as the engine can tell: most look at times and sizes."""
        with translate_errors("asking what has changed in a container"):
            return [str(each["Path"]) for each in self.api.diff(container) or ()]

    def written(self, container: str) -> int:
        """Bytes that it has written to its own layer."""
        with translate_errors("asking for the size of a container"):
            found = self.api.containers(all=True, size=True, filters={"id": container})
            return int(found[0].get("SizeRw") or 0) if found else 0

    def unpack(self, container: str, archive: Path) -> None:
        """Unpack a tar archive at the root of a container that was never started."""
        with translate_errors(f"unpacking {archive.name}"):
            self.api.put_archive(container, "/", up_to_its_end(archive))

    def commit(self, container: str, *, name: str = "", labels: Mapping[str, str]) -> str:
        """Make an image of a container as it stands (nothing in it runs meanwhile); the image's id.

        Of labels that the container has too, those in *labels* count.
        """
        repository, _, tag = name.partition(":")
        lines = "\n".join(label_lines(labels))  # Podman takes no settings, only such lines
        with translate_errors("committing a container"):
            made = self.api.commit(container, repository or None, tag or None, changes=lines)
            return str(made["Id"])

    # Networks

    def create_network(self, name: str, options: Mapping[str, str], labels: Mapping[str, str]) -> None:
        """Make a network that leads out, with *options* of the engine's bridges."""
        with translate_errors(f"making the network {name}"):
            self.api.create_network(name, driver="bridge", options=dict(options), labels=dict(labels))

    def networks(self, label: str) -> Sequence[Mapping[str, Any]]:
        """All networks with *label*: `Name`, `Labels`."""
        with translate_errors("listing networks"):
            return list(self.api.networks(filters={"label": label}))

    def remove_network(self, name: str) -> bool:
        """Remove a network; False while a container is in it. Harmless where it is gone."""
        try:
            with translate_errors("removing a network"):
                self.api.remove_network(name)
        except SandboxError as error:
            if status(error) in (403, 409, 500):  # what Docker and Podman call "in use"
                return False
            if not is_gone(error):
                raise
        return True

    # Images

    def load(self, name: str, blocks: Iterable[bytes], labels: Mapping[str, str], title: str = "") -> str:
        """Import a root file system, the blocks of a tar archive, as the image *name*; its id. *title*: for people."""
        repository, _, tag = name.partition(":")
        with translate_errors(f"importing {title or name}"):
            lines = self.api.import_image_from_stream(
                iter(blocks), repository=repository, tag=tag, changes=label_lines(labels)
            )
        self.tag(json.loads(lines.splitlines()[-1])["status"], name)  # Podman leaves the tag out
        return str(self.image(name)["Id"])

    def build(self, folder: Path, name: str, labels: Mapping[str, str]) -> str:
        """Build the Dockerfile in *folder* as the image *name*; its id. Raises with the last lines of what it said."""
        said: list[str] = []
        with translate_errors(f"building {folder}"):
            steps = self.api.build(path=str(folder), tag=name, rm=True, forcerm=True, labels=dict(labels), decode=True)
            for step in steps:
                said += str(step.get("stream", "") or step.get("error", "")).splitlines()
                if "error" in step:
                    raise SandboxError(f"{folder / 'Dockerfile'} does not build:\n" + "\n".join(said[-12:]))
        return str(self.image(name)["Id"])

    def pull(self, name: str) -> None:
        """Fetch an image from its registry. An engine may call that begun, and say later that it has failed."""
        with translate_errors(f"pulling {name}"):
            for step in self.api.pull(name, stream=True, decode=True):
                if "error" in step:
                    raise SandboxError(f"pulling {name}: the container engine says: {step['error']}")

    def tag(self, image: str, name: str) -> None:
        """Give an image another name."""
        repository, _, tag = name.partition(":")
        with translate_errors(f"naming {image}"):
            self.api.tag(image, repository, tag)

    def image(self, name: str) -> Mapping[str, Any]:
        """What there is to know of an image."""
        with translate_errors(f"looking for the image {name}"):
            return dict(self.api.inspect_image(name))

    def has_image(self, name: str) -> bool:
        """Whether it is there."""
        try:
            self.image(name)
        except SandboxError as error:
            if is_gone(error):
                return False
            raise
        return True

    def images(self, label: str) -> Sequence[Mapping[str, Any]]:
        """All images with *label*: `Id`, `Labels`, `RepoTags`, `Size`."""
        with translate_errors("listing images"):
            return list(self.api.images(filters={"label": label}))

    def remove_image(self, image: str, *, force: bool = False) -> bool:
        """Remove an image; False while a container is made of it. Harmless where it is gone.

        With *force* also where a container that has ended is still there; Podman would then end those that run, too.
        """
        try:
            with translate_errors("removing an image"):
                self.api.remove_image(image, force=force)
        except SandboxError as error:
            if status(error) == 409 or "no such container" in str(error):  # the last goes just now
                return False
            if not is_gone(error):
                raise
        return True
