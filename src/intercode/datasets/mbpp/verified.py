"""MBPP with requests and hidden tests on which people and rewards agree."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from intercode.datasets.mbpp.dataset import MbppDataset
from intercode.datasets.verified import VerifiedDataset

FOLDER = Path(__file__).parent


class MbppVerifiedDataset(VerifiedDataset):
    """The tasks `mbpp-verified/0` and so on: those of `mbpp` with the changes and hidden tests that ship here.

    *folder* is where the published file is (None: where `intercode data get mbpp` puts it). See `VerifiedDataset` for
    what a changed task tells, and docs/decisions/verified-sets.md for how changes are made.
    """

    name = "mbpp-verified"

    def __init__(self, *, folder: str | PathLike[str] | None = None) -> None:
        super().__init__(MbppDataset(folder=folder), FOLDER)
