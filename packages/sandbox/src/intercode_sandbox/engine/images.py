"""An engine's images, and the containers that they are made from: see `ImageEngine`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from intercode_sandbox.engine.command import Command, last_line
from intercode_sandbox.engine.errors import GONE, failure
from intercode_sandbox.engine.owner import this_process
from intercode_sandbox.images.engine_store import LABEL, label_lines
from intercode_sandbox.images.tar_archives import up_to_its_end


class ImageCommands(Command):
    """What an engine does with images. All of it raises SandboxError."""

    def has_image(self, name: str) -> bool:
        """Return whether it is there."""
        status, _, errors = self.try_call("image", "inspect", name)
        if status and not any(words in errors.lower() for words in ("no such", "not known", "not found")):
            raise failure(f"looking for the image {name}", errors)
        return status == 0

    def image(self, name: str) -> Mapping[str, Any]:
        """Return what there is to know of an image."""
        return dict(json.loads(self.call(f"looking for the image {name}", "image", "inspect", name))[0])

    def load(self, name: str, blocks: Iterable[bytes], labels: Mapping[str, str], title: str = "") -> str:
        """Import a root file system, the blocks of a tar archive, as the image *name*; its id. *title*: for people."""
        said = self.call(f"importing {title or name}", "import", *_changes(labels), "-", name, blocks=blocks)
        return last_line(said).rpartition(" ")[2]  # of Podman's socket the command prints the id twice

    def build(self, folder: Path, name: str, labels: Mapping[str, str]) -> str:
        """Build the Dockerfile in *folder* as the image *name*; its id. Raises with the last lines of what it said."""
        words = [word for key, value in labels.items() for word in ("--label", f"{key}={value}")]
        self.call(f"building {folder}", "build", "--tag", name, *words, str(folder))
        return str(self.image(name)["Id"])

    def pull(self, name: str) -> None:
        """Fetch an image from its registry."""
        self.call(f"pulling {name}", "pull", name)

    def tag(self, image: str, name: str) -> None:
        """Give an image another name."""
        self.call(f"naming {image}", "tag", image, name)

    def create_idle(self, name: str, image: str) -> str:
        """Make a container of *image*, called *name*, that is never to run; its id."""
        words = ("create", "--label", f"{LABEL}={this_process()}", "--name", name, image, "/none")
        return last_line(self.call(f"making a container of {image}", *words))

    def unpack(self, container: str, archive: Path) -> None:
        """Unpack a tar archive at the root of a container that was never started."""
        self.call(f"unpacking {archive.name}", "cp", "-", f"{container}:/", blocks=up_to_its_end(archive))

    def commit(self, container: str, *, name: str = "", labels: Mapping[str, str]) -> str:
        """Make an image of a container as it stands (nothing in it runs meanwhile); the image's id.

        Of labels that the container has too, those in *labels* count.
        """
        words = [container, *([name] if name else [])]
        return last_line(self.call("committing a container", "commit", *_changes(labels), *words))

    def remove(self, container: str) -> None:
        """Kill and remove a container with its volumes; harmless where it is gone or going."""
        status, _, errors = self.try_call("rm", "--force", "--volumes", container)
        if status and not any(words in errors for words in (*GONE, "already in progress")):
            raise failure("removing a container", errors)


def _changes(labels: Mapping[str, str]) -> list[str]:
    """Return labels as options: Podman takes several only as lines of their own."""
    return [word for line in label_lines(labels) for word in ("--change", line)]
