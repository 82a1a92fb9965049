"""Capture the flag as published, without what nobody can solve and with the right flags."""

from __future__ import annotations

from os import PathLike

from intercode.datasets.ctf import CtfDataset
from intercode.datasets.verified import VerifiedDataset


class CtfVerifiedDataset(VerifiedDataset):
    """The tasks `ctf-verified/0` and so on: those of `ctf` that can be solved.

    *folder* and *incomplete* are those of `CtfDataset`. See `VerifiedDataset` for what a changed task tells, and
    docs/decisions/verified-sets.md for how changes are made.
    """

    name = "ctf-verified"

    def __init__(self, *, folder: str | PathLike[str] | None = None, incomplete: bool = False) -> None:
        super().__init__(CtfDataset(folder=folder, incomplete=incomplete))
