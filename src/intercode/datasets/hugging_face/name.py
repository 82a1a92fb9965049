"""How data sets of the hub are named."""

from __future__ import annotations

from os.path import isdir
from pathlib import Path

from intercode.datasets import HUB


def parts(spec: str) -> tuple[str, str]:
    """Return the repository or folder that `hf:OWNER/NAME:SPLIT` names, and the split, "" for none."""
    repository, _, split = spec.removeprefix(HUB).partition(":")
    return repository, split


def folder_of(repository: str) -> Path | None:
    """Return the folder of this machine that *repository* is; None for a name at the hub."""
    is_path = repository.startswith((".", "/"))
    return Path(repository) if is_path or isdir(repository) else None
