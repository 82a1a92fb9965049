"""What dead programs of ours have left at an engine: containers, networks and images of snapshots, by their labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from intercode.sandboxes.core.process_identity import is_dead
from intercode.sandboxes.docker.engine import Engine
from intercode.sandboxes.images.engine_store import LABEL


@dataclass(frozen=True, slots=True)
class Leftover:
    """One of them; `owner` is the process that made it, as `process_identity.py` writes it."""

    kind: Literal["container", "network", "image"]
    id: str
    owner: str


def find_leftovers(engine: Engine) -> list[Leftover]:
    """All whose owner is dead; containers first, since they hold the others."""
    return [each for each in _labelled_leftovers(engine) if each.owner and is_dead(each.owner)]


def clean(engine: Engine) -> list[Leftover]:
    """Remove them; what was removed. An image that something else is made of stays."""
    return [each for each in find_leftovers(engine) if _remove(engine, each)]


def _labelled_leftovers(engine: Engine) -> Iterator[Leftover]:
    for container in engine.containers(LABEL):
        yield Leftover("container", str(container["Id"]), str(container["Labels"][LABEL]))
    for network in engine.networks(LABEL):
        yield Leftover("network", str(network["Name"]), str(network["Labels"][LABEL]))
    for image in engine.images(LABEL):
        yield Leftover("image", str(image["Id"]), str(image["Labels"][LABEL]))


def _remove(engine: Engine, leftover: Leftover) -> bool:
    if leftover.kind == "image":
        return engine.remove_image(leftover.id, force=True)
    if leftover.kind == "network":
        return engine.remove_network(leftover.id)
    engine.remove(leftover.id)
    return True
