"""The engine: images and containers by id. What goes wrong is a SandboxError that says what was going on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from intercode_sandbox.engine.command import find_programs
from intercode_sandbox.engine.connection import EngineConnection
from intercode_sandbox.engine.errors import EngineError
from intercode_sandbox.engine.images import ImageCommands
from intercode_sandbox.engine.owner import this_process
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images.engine_store import LABEL, label_lines

ENDING_SECONDS, ENDING_LOOKS = 2.0, 10
"""For how long, and how often, the engine is asked whether a container has ended."""

NO_ENGINE = (
    "no container engine answers ({tried}): start Docker (sudo systemctl start docker) or Podman's socket "
    "(systemctl --user start podman.socket), name another in DOCKER_HOST, or use --sandbox embedded"
)
NO_PERMISSION = (
    "no permission to use the container engine ({tried}): join the group of its socket (for Docker's, sudo usermod "
    "--append --groups docker $USER, then log in again), run this as root, or use --sandbox embedded"
)
NO_LIMITS = (
    "this container engine holds no limits on memory and processes ({why}): use one that root runs, one on version "
    "2 of control groups, or --sandbox embedded"
)


def connect(url: str = "") -> Engine:
    """Return the first engine that answers one of the commands that are there: Docker's, or Podman's socket.

    Raises:
        SandboxError: If none does.
    """
    said: list[str] = []
    for program in find_programs():
        engine = Engine(url, program)
        try:
            engine.ask("looking for a container engine", "GET", "/_ping")
        except SandboxError as error:
            said.append(f"{Path(program).name}: {_reason(error)}")
            engine.close()
        else:
            return engine
    tried = "; ".join(said)
    raise SandboxError((NO_PERMISSION if "permission denied" in tried else NO_ENGINE).format(tried=tried))


class Engine(ImageCommands):
    """A running engine, which must be on this machine. All that is asked of it raises SandboxError."""

    def __init__(self, url: str = "", program: str = "") -> None:
        super().__init__(url, program)
        self._connection = EngineConnection(self.command)
        self._holds_limits = False
        self.ask = self._connection.ask
        self.close = self._connection.close

    def _tell(self, what: str, method: str, path: str, **options: Any) -> Any:
        """Ask, and return what the engine says, read."""
        return json.loads(self.ask(what, method, path, **options) or b"null")

    # The engine

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Return what the engine says of itself."""
        return dict(self._tell("asking the engine what it is", "GET", "/info"))

    def describe(self) -> str:
        """Return one line for people: version, storage driver, kernel."""
        facts = self.facts
        kind = "Podman" if self.is_podman else "Docker"
        return f"{kind} {facts.get('ServerVersion')}, {facts.get('Driver')}, kernel {facts.get('KernelVersion')}"

    @property
    def is_podman(self) -> bool:
        """Return whether it is Podman that speaks Docker's words."""
        return "BuildahVersion" in self.facts

    @cached_property
    def why_no_limits(self) -> str:
        """Return why containers here would have no limits on memory and processes; "" where no reason is known."""
        facts = self.facts
        if lacks := [name for name in ("MemoryLimit", "PidsLimit") if not facts.get(name)]:
            return f"it has no {' and no '.join(lacks)}"
        if facts.get("Rootless") and str(facts.get("CgroupVersion")) == "1":
            return "rootless, on version 1 of control groups"
        return ""

    # Containers

    def create(self, name: str, config: Mapping[str, Any]) -> str:
        """Make a container and return its id; *config* is what the engine's interface calls so.

        The command's own options cannot say all of it, such as what is read-only in /proc.
        """
        if self.why_no_limits:
            raise SandboxError(NO_LIMITS.format(why=self.why_no_limits))
        what = f"making a container of {config['Image']}"
        made = str(self._tell(what, "POST", "/containers/create", query={"name": name}, body=config)["Id"])
        self._look_at_limits(made, config.get("HostConfig", {}))
        return made

    def _look_at_limits(self, container: str, limits: Mapping[str, Any]) -> None:
        """Raise SandboxError where those *limits* were left out without a word; the *container* is gone then. Once."""
        if self._holds_limits or "Memory" not in limits:
            return
        taken = self.container(container)["HostConfig"]
        if lost := [name for name in ("Memory", "PidsLimit") if limits.get(name) and not taken.get(name)]:
            self.remove(container)
            raise SandboxError(NO_LIMITS.format(why=f"it left out {' and '.join(lost)}"))
        self._holds_limits = True

    def create_idle(self, name: str, image: str) -> str:
        """Make a container of *image* that is never to run; its id."""
        return self.create(name, {"Image": image, "Entrypoint": ["/none"], "Labels": {LABEL: this_process()}})

    def start_container(self, container: str) -> None:
        """Start its process 1."""
        self.ask("starting a container", "POST", f"/containers/{container}/start")

    def container(self, container: str) -> Mapping[str, Any]:
        """Return what there is to know of a container."""
        return dict(self._tell("looking at a container", "GET", f"/containers/{container}/json"))

    def remove(self, container: str) -> None:
        """Kill and remove a container; harmless where it is gone."""
        try:
            self.ask("removing a container", "DELETE", f"/containers/{container}", {"force": 1, "v": 1})
        except EngineError as error:
            if not error.is_gone:
                raise

    def is_left_alone(self, container: str) -> bool:
        """Return whether a container runs or has ended by itself.

        Not by the engine, nor, as far as that knows, with it.
        """
        for _ in range(ENDING_LOOKS):  # an end is told a moment after it was
            events = self._events(container)
            if events & {"die", "died"}:
                return "kill" not in events
            time.sleep(ENDING_SECONDS / ENDING_LOOKS)
        try:
            return bool(self.container(container)["State"]["Running"])
        except EngineError as error:
            if error.is_gone:
                return False
            raise

    def _events(self, container: str) -> set[str]:
        """Return what has happened to a container lately."""
        now, filters = time.time(), json.dumps({"container": [container]})
        query = {"since": f"{now - 3600:.6f}", "until": f"{now:.6f}", "filters": filters}
        said = self.ask("asking what has become of a container", "GET", "/events", query)
        events = map(json.loads, said.splitlines())
        return {str(each.get("Action") or each.get("status")) for each in events}

    def changed(self, container: str) -> list[str]:
        """Return the paths at which it differs from its image, as far as the engine can tell.

        Most look at times and sizes.
        """
        found = self._tell("asking what has changed in a container", "GET", f"/containers/{container}/changes")
        return [str(each["Path"]) for each in found or ()]

    def written(self, container: str) -> int:
        """Bytes that it has written to its own layer."""
        query = {"all": 1, "size": 1, "filters": json.dumps({"id": [container]})}
        found = self._tell("asking for the size of a container", "GET", "/containers/json", query=query)
        return int(found[0].get("SizeRw") or 0) if found else 0

    def commit(self, container: str, *, name: str = "", labels: Mapping[str, str]) -> str:
        """Make an image of a container as it stands; the image's id."""
        repository, _, tag = name.partition(":")
        lines = "\n".join(label_lines(labels))  # Podman takes no settings, only such lines
        query = {"container": container, "repo": repository, "tag": tag, "changes": lines}
        made = self._tell("committing a container", "POST", "/commit", query=query, body={})
        return str(made["Id"])

    # Images

    def load(self, name: str, blocks: Iterable[bytes], labels: Mapping[str, str], title: str = "") -> str:
        """Import the blocks of a tar archive as the image *name*; its id."""
        self.tag(super().load(name, blocks, labels, title), name)  # Podman leaves the tag out
        return str(self.image(name)["Id"])

    def image(self, name: str) -> Mapping[str, Any]:
        """Return what there is to know of an image."""
        return dict(self._tell(f"looking for the image {name}", "GET", f"/images/{name}/json"))

    def has_image(self, name: str) -> bool:
        """Return whether the engine has the image."""
        try:
            self.image(name)
        except EngineError as error:
            if error.is_gone:
                return False
            raise
        return True

    def remove_image(self, image: str, *, force: bool = False) -> bool:
        """Remove an image; False while a container is made of it. Harmless where it is gone.

        With *force* also where a container that has ended is still there; Podman would then end those that run, too.
        """
        try:
            self.ask("removing an image", "DELETE", f"/images/{image}", {"force": int(force)})
        except EngineError as error:
            if error.status == 409 or "no such container" in str(error):  # the last goes just now
                return False
            if not error.is_gone:
                raise
        return True


def _reason(error: SandboxError) -> str:
    """Return what is said in an error's parentheses, or all of it."""
    text = str(error)
    return text.partition("(")[2].rpartition("): is")[0] or text
