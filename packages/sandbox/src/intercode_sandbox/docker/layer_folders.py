"""Where an engine keeps the layers of images and containers: folders on its disk, as overlayfs wants them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from intercode_sandbox.errors import SandboxError

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

UNREADABLE = "cannot read the engine's layers in {place}"

NOT_ROOT = "only root may read the engine's layers in {place}"
ROOTLESS = "an engine without root keeps its layers with other owners and marks than the kernel's"
OTHER_STORAGE = "the engine keeps its layers by {name!r}, not by Docker's overlay2"


def why_unreadable(facts: Mapping[str, Any]) -> str:
    """Return why the layers of an engine that says *facts* of itself cannot be read here; empty where they can."""
    driver = facts.get("Driver")
    if driver != "overlay2":
        return OTHER_STORAGE.format(name=driver)
    if any("rootless" in str(option) for option in facts.get("SecurityOptions") or ()):
        return ROOTLESS
    place = str(facts.get("DockerRootDir") or "/")
    return "" if os.access(place, os.R_OK | os.X_OK) else NOT_ROOT.format(place=place)


def folders(facts: Mapping[str, Any]) -> list[str]:
    """Return the folders of an image's or container's layers, highest first.

    Raises:
        SandboxError: If it is not told.
    """
    driver = facts.get("GraphDriver") or {}
    data = driver.get("Data") or {}
    if "UpperDir" not in data:
        raise SandboxError("the engine does not tell where it keeps its layers")
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
    """Return a descriptor of one layer's folder."""
    try:
        return os.open(place, FOLDER)
    except OSError as error:
        raise SandboxError(UNREADABLE.format(place=place)) from error
