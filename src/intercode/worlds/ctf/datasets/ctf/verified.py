"""Capture the flag as published, without what nobody can solve, with the right flags, and with services that live."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from intercode.datasets.challenges import Challenge, Service
from intercode.datasets.verified import VerifiedDataset
from intercode.types import Task
from intercode.worlds.ctf.datasets.ctf.dataset import CtfDataset

FOLDER = Path(__file__).parent


class CtfVerifiedDataset(VerifiedDataset):
    """The tasks `ctf-verified/0` and so on: those of `ctf` that can be solved.

    *folder* and *incomplete* are those of `CtfDataset`. See `VerifiedDataset` for what a changed task tells, and
    docs/decisions/verified-sets.md for how changes are made.
    """

    name = "ctf-verified"

    def __init__(self, *, folder: str | PathLike[str] | None = None, incomplete: bool = False) -> None:
        self._ctf = CtfDataset(folder=folder, excluded=True, incomplete=incomplete)
        super().__init__(self._ctf, FOLDER)

    def challenge(self, task: Task, seed: int) -> Challenge:
        """Return the published set's challenge for *task*, with its service if that was made anew.

        Raises:
            DownloadError: For a published file of the service that is missing.
        """
        challenge = super().challenge(task, seed)
        id = task.id.partition("/")[2]
        rebuilt = self.changes[id].service if id in self.changes else None
        if rebuilt is None:
            return challenge
        files = {path: self._ctf.asset(task, path) for path in rebuilt.files}
        files["flag.txt"] = (challenge.flag or "").encode() + b"\n"
        service = Service(rebuilt.name, rebuilt.port, ("sh", "-c", rebuilt.command), files)
        return replace(challenge, service=service)
