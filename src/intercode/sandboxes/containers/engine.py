"""The engine, by Docker's own Python package.

All else names containers and images by id and is told what went wrong as a SandboxError.
"""

from __future__ import annotations

import errno
import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from intercode.errors import SandboxError
from intercode.sandboxes.containers.answers import (
    explained,
    failures,
    is_gone,
    listens,
    package,
    status,
    usual,
    why_silent,
)
from intercode.sandboxes.images.tarballs import up_to_its_end

SECONDS = 120.0
"""How long the engine may take over one answer."""

ENDING_SECONDS, ENDING_LOOKS = 2.0, 10
"""For how long, and how often, the engine is asked whether a container has ended."""

NO_ENGINE = (
    "no container engine answers ({tried}): start Docker (sudo systemctl start docker) or Podman's socket "
    "(systemctl --user start podman.socket), name another in DOCKER_HOST, or use --sandbox embedded"
)
NO_PERMISSION = (
    "you may not speak to the container engine at {url}: become one of its socket's group (Docker: sudo usermod "
    "--append --groups docker $USER, then log in anew), run this as root, or use --sandbox embedded"
)
NO_LIMITS = (
    "this container engine holds no limits on memory and processes ({why}): use one that root runs, one on version "
    "2 of control groups, or --sandbox embedded"
)


class Engine:
    """A running engine, at *url* (default: DOCKER_HOST, else Docker's and Podman's usual sockets).

    Every thread has a connection of its own. Raises SandboxError when none answers; so does all that is asked of it.
    """

    def __init__(self, url: str = "") -> None:
        self._local = threading.local()
        self._clients: list[Any] = []
        self._guard = threading.Lock()
        self._holds_limits = False
        self.url = self._first_that_answers([url] if url else usual())

    def _first_that_answers(self, urls: Sequence[str]) -> str:
        expected: tuple[type[Exception], ...] = (*failures(), ValueError)  # that: such as a port that is none
        for url in filter(listens, urls):
            try:
                self._connect(url).ping()
            except expected:
                continue
            return url
        if forbidden := [url for url in urls if why_silent(url) == errno.EACCES]:
            raise SandboxError(NO_PERMISSION.format(url=forbidden[0]))
        raise SandboxError(NO_ENGINE.format(tried=", ".join(urls)))

    def _connect(self, url: str) -> Any:
        client = package().APIClient(base_url=url, version="auto", timeout=SECONDS)
        with self._guard:
            self._clients.append(client)
        return client

    @property
    def _api(self) -> Any:
        client = getattr(self._local, "client", None)
        if client is None:
            client = self._local.client = self._connect(self.url)
        return client

    def close(self) -> None:
        """Let go of all connections. Closing twice is harmless."""
        with self._guard:
            clients, self._clients = self._clients, []
        for client in clients:
            client.close()
        self._local = threading.local()

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """What the engine says of itself."""
        with explained("asking the engine what it is"):
            return dict(self._api.info())

    def describe(self) -> str:
        """One line for people: version, storage driver, kernel."""
        facts = self.facts
        kind = "Podman" if self.is_podman else "Docker"
        return f"{kind} {facts.get('ServerVersion')}, {facts.get('Driver')}, kernel {facts.get('KernelVersion')}"

    @property
    def is_podman(self) -> bool:
        """Whether it is Podman that speaks Docker's words."""
        return "BuildahVersion" in self.facts

    @cached_property
    def why_no_limits(self) -> str:
        """Why containers here would have no limits on memory and processes; "" where no reason is known."""
        facts = self.facts
        if lacks := [name for name in ("MemoryLimit", "PidsLimit") if not facts.get(name)]:
            return f"it has no {' and no '.join(lacks)}"
        if facts.get("Rootless") and str(facts.get("CgroupVersion")) == "1":
            return "rootless, on version 1 of control groups"
        return ""

    # Containers

    def create(self, name: str, config: Mapping[str, Any]) -> str:
        """Make a container and return its id; *config* is what the engine's interface calls so."""
        if self.why_no_limits:
            raise SandboxError(NO_LIMITS.format(why=self.why_no_limits))
        with explained(f"making a container of {config['Image']}"):
            made = str(self._api.create_container_from_config(dict(config), name)["Id"])
        self._look_at_limits(made, config.get("HostConfig", {}))
        return made

    def _look_at_limits(self, container: str, wanted: Mapping[str, Any]) -> None:
        """Raise SandboxError where those *wanted* were left out without a word; the *container* is gone then. Once."""
        if self._holds_limits or "Memory" not in wanted:
            return
        taken = self.container(container)["HostConfig"]
        if lost := [name for name in ("Memory", "PidsLimit") if wanted.get(name) and not taken.get(name)]:
            self.remove(container)
            raise SandboxError(NO_LIMITS.format(why=f"it left out {' and '.join(lost)}"))
        self._holds_limits = True

    def start(self, container: str) -> None:
        """Start its process 1."""
        with explained("starting a container"):
            self._api.start(container)

    def container(self, container: str) -> Mapping[str, Any]:
        """What there is to know of a container."""
        with explained("looking at a container"):
            return dict(self._api.inspect_container(container))

    def containers(self, label: str) -> Sequence[Mapping[str, Any]]:
        """All containers with *label*, running or not: `Id`, `Labels`, `State`."""
        with explained("listing containers"):
            return list(self._api.containers(all=True, filters={"label": label}))

    def remove(self, container: str) -> None:
        """Kill and remove a container with its volumes; harmless where it is gone or going."""
        try:
            with explained("removing a container"):
                self._api.remove_container(container, force=True, v=True)
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
        with explained("asking what has become of a container"):
            since, until = f"{now - 3600:.6f}", f"{now:.6f}"
            told = self._api.events(since=since, until=until, filters={"container": container}, decode=True)
            return {str(each.get("Action") or each.get("status")) for each in told}

    def changed(self, container: str) -> list[str]:
        """The paths at which it differs from its image, as far as the engine can tell: most look at times and sizes."""
        with explained("asking what has changed in a container"):
            return [str(each["Path"]) for each in self._api.diff(container) or ()]

    def written(self, container: str) -> int:
        """Bytes that it has written to its own layer."""
        with explained("asking for the size of a container"):
            found = self._api.containers(all=True, size=True, filters={"id": container})
            return int(found[0].get("SizeRw") or 0) if found else 0

    def unpack(self, container: str, archive: Path) -> None:
        """Unpack a tar archive at the root of a container that was never started."""
        with explained(f"unpacking {archive.name}"):
            self._api.put_archive(container, "/", up_to_its_end(archive))

    def commit(self, container: str, *, name: str = "", labels: Mapping[str, str]) -> str:
        """Make an image of a container as it stands (nothing in it runs meanwhile); the image's id.

        Of labels that the container has too, those in *labels* count.
        """
        repository, _, tag = name.partition(":")
        lines = "\n".join(_label_lines(labels))  # Podman takes no settings, only such lines
        with explained("committing a container"):
            made = self._api.commit(container, repository or None, tag or None, changes=lines)
            return str(made["Id"])

    # Networks

    def create_network(self, name: str, options: Mapping[str, str], labels: Mapping[str, str]) -> None:
        """Make a network that leads out, with *options* of the engine's bridges."""
        with explained(f"making the network {name}"):
            self._api.create_network(name, driver="bridge", options=dict(options), labels=dict(labels))

    def networks(self, label: str) -> Sequence[Mapping[str, Any]]:
        """All networks with *label*: `Name`, `Labels`."""
        with explained("listing networks"):
            return list(self._api.networks(filters={"label": label}))

    def remove_network(self, name: str) -> bool:
        """Remove a network; False while a container is in it. Harmless where it is gone."""
        try:
            with explained("removing a network"):
                self._api.remove_network(name)
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
        with explained(f"importing {title or name}"):
            told = self._api.import_image_from_stream(
                iter(blocks), repository=repository, tag=tag, changes=_label_lines(labels)
            )
        self.tag(json.loads(told.splitlines()[-1])["status"], name)  # Podman leaves the tag out
        return str(self.image(name)["Id"])

    def build(self, folder: Path, name: str, labels: Mapping[str, str]) -> str:
        """Build the Dockerfile in *folder* as the image *name*; its id. Raises with the last lines of what it said."""
        said: list[str] = []
        with explained(f"building {folder}"):
            steps = self._api.build(path=str(folder), tag=name, rm=True, forcerm=True, labels=dict(labels), decode=True)
            for step in steps:
                said += str(step.get("stream", "") or step.get("error", "")).splitlines()
                if "error" in step:
                    raise SandboxError(f"{folder / 'Dockerfile'} does not build:\n" + "\n".join(said[-12:]))
        return str(self.image(name)["Id"])

    def pull(self, name: str) -> None:
        """Fetch an image from its registry. An engine may call that begun, and say later that it has failed."""
        with explained(f"pulling {name}"):
            for step in self._api.pull(name, stream=True, decode=True):
                if "error" in step:
                    raise SandboxError(f"pulling {name}: the container engine says: {step['error']}")

    def tag(self, image: str, name: str) -> None:
        """Give an image another name."""
        repository, _, tag = name.partition(":")
        with explained(f"naming {image}"):
            self._api.tag(image, repository, tag)

    def image(self, name: str) -> Mapping[str, Any]:
        """What there is to know of an image."""
        with explained(f"looking for the image {name}"):
            return dict(self._api.inspect_image(name))

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
        with explained("listing images"):
            return list(self._api.images(filters={"label": label}))

    def remove_image(self, image: str, *, force: bool = False) -> bool:
        """Remove an image; False while a container is made of it. Harmless where it is gone.

        With *force* also where a container that has ended is still there; Podman would then end those that run, too.
        """
        try:
            with explained("removing an image"):
                self._api.remove_image(image, force=force)
        except SandboxError as error:
            if status(error) == 409 or "no such container" in str(error):  # the last goes just now
                return False
            if not is_gone(error):
                raise
        return True


def _label_lines(labels: Mapping[str, str]) -> list[str]:
    """As a Dockerfile has them, where a dollar would be a variable's."""
    texts = {key: json.dumps(value, ensure_ascii=False).replace("$", r"\$") for key, value in labels.items()}
    return [f"LABEL {key}={text}" for key, text in texts.items()]
