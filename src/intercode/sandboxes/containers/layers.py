"""Where an engine keeps the layers of images and containers: folders on its disk, as overlayfs wants them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from intercode.errors import SandboxError

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

ROOT_ONLY = (
    "cannot read the engine's layers in {place}: the docker sandbox compares files from outside, which only root may "
    "(or who owns a rootless engine); run as root, or use --sandbox embedded"
)


def folders(facts: Mapping[str, Any]) -> list[str]:
    """The folders of an image's or container's layers, highest first. Raises SandboxError for other storage."""
    driver = facts.get("GraphDriver") or {}
    data = driver.get("Data") or {}
    if "UpperDir" not in data:
        name = driver.get("Name", "a snapshotter")
        raise SandboxError(
            f"the engine keeps its layers by {name!r}; the docker sandbox reads those of "
            'overlay2 (Docker: {"storage-driver": "overlay2"} in /etc/docker/daemon.json) or of Podman\'s overlay'
        )
    return [data["UpperDir"], *filter(None, str(data.get("LowerDir") or "").split(":"))]


def open_layers(places: Sequence[str]) -> list[tuple[int, int]]:
    """Descriptors of the folders, numbered from 1 from the highest down."""
    opened: list[tuple[int, int]] = []
    try:
        for number, place in enumerate(places, start=1):
            opened.append((number, open_layer(place)))
    except SandboxError:
        close_layers(opened)
        raise
    return opened


def close_layers(opened: Sequence[tuple[int, int]]) -> None:
    """Close what `open_layers` opened."""
    for _, descriptor in opened:
        os.close(descriptor)


def open_layer(place: str) -> int:
    """A descriptor of one layer's folder."""
    try:
        return os.open(place, FOLDER)
    except OSError as error:
        raise SandboxError(ROOT_ONLY.format(place=place)) from error
