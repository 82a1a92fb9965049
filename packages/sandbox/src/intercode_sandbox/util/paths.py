"""Where things live on this machine. Nothing is created before it is needed."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path, user_data_path, user_state_path


def cache() -> Path:
    """Built images and golds: safe to delete at any time. `INTERCODE_CACHE`, else the user's cache directory."""
    return Path(os.environ.get("INTERCODE_CACHE") or user_cache_path("intercode"))


SHARED = "INTERCODE_SHARED"
"""The variable by which a run's processes are told of their `shared` folder."""


def shared() -> Path | None:
    """Return where the processes of one run keep what they know in common; None where this process plays alone."""
    named = os.environ.get(SHARED)
    return Path(named) if named else None


def data() -> Path:
    """Downloaded data sets. `INTERCODE_DATA`, else the user's data directory."""
    return Path(os.environ.get("INTERCODE_DATA") or user_data_path("intercode"))


def state() -> Path:
    """Return the history of lines typed at a prompt. `INTERCODE_STATE`, else the user's state directory."""
    return Path(os.environ.get("INTERCODE_STATE") or user_state_path("intercode"))
