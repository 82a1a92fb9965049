"""Which system this is: what sandboxes can be made of depends on it."""

from __future__ import annotations

import platform


def system_name() -> str:
    """Return `Linux`, `macOS`, `Windows` …, as people call this system."""
    return {"Darwin": "macOS"}.get(platform.system(), platform.system())


def is_linux() -> bool:
    """Return whether what the embedded and the docker sandbox are made of can be here."""
    return system_name() == "Linux"
