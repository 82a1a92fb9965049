"""NL2Bash with golds, requests and file systems on which people and rewards agree."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from intercode.datasets.nl2bash.dataset import NL2BashDataset
from intercode.datasets.verified import VerifiedDataset, changes_in
from intercode.datasets.verified.planted_files import files_layer
from intercode_sandbox.images.files_layer import FilesLayer

FOLDER = Path(__file__).parent


class NL2BashVerifiedDataset(VerifiedDataset):
    """The tasks `nl2bash-verified/fs1/0` and so on: those of `nl2bash` with the changes that ship here.

    *folder* is where the published files are (None: where `intercode data get nl2bash` puts them). See
    `VerifiedDataset` for what a changed task tells, and docs/decisions/verified-sets.md for how changes are made.
    """

    name = "nl2bash-verified"

    def __init__(self, *, folder: str | PathLike[str] | None = None) -> None:
        super().__init__(_PlantedNL2Bash(folder=folder), FOLDER)


class _PlantedNL2Bash(NL2BashDataset):
    """The published set on file systems with planted files."""

    def planted_files(self, file_system: int) -> FilesLayer | None:
        """Return all that is planted for any task on that file system."""
        here = (each for id, each in changes_in(FOLDER).items() if id.startswith(f"fs{file_system}/"))
        return files_layer(here, "planted files")
