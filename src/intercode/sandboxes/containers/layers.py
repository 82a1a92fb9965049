"""Where an engine keeps the layers of images and containers: folders on its disk, as overlayfs wants them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from intercode.errors import SandboxError

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

ROOT_ONLY = (
    "cannot read the engine's layers in {place}: the docker sandbox compares files from outside, which only root may; "
    "run as root, or use --sandbox embedded"
)
OTHER_STORAGE = (
    "the engine keeps its layers by {name!r}, and the docker sandbox reads those of overlay2: set "
    '"storage-driver": "overlay2" in /etc/docker/daemon.json (and, from Docker 29 on, '
    '"features": {{"containerd-snapshotter": false}}), or use --sandbox embedded'
)


def why_unreadable(facts: Mapping[str, Any]) -> str:
    """Why the layers of an engine that says *facts* of itself cannot be read; empty where they can."""
    driver = facts.get("Driver")
    if driver not in ("overlay2", "overlay"):
        return OTHER_STORAGE.format(name=driver)
    place = str(facts.get("DockerRootDir") or "/")
    return "" if os.access(place, os.R_OK | os.X_OK) else ROOT_ONLY.format(place=place)


def folders(facts: Mapping[str, Any]) -> list[str]:
    """The folders of an image's or container's layers, highest first. Raises SandboxError for other storage."""
    driver = facts.get("GraphDriver") or {}
    data = driver.get("Data") or {}
    if "UpperDir" not in data:
        raise SandboxError(OTHER_STORAGE.format(name=driver.get("Name") or "a snapshotter"))
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
