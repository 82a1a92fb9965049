"""Runs that are cut and go on: how long a process works, and what it keeps for the next one. Needs torch."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from examples.learning_curve.runner import WrongPlanError
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

Weights = Mapping[str, Tensor]


class SliceOverError(Exception):
    """The time of this process is over; the same command goes on where it was."""


@dataclass
class Slice:
    """The part of a run that one process does.

    Attributes:
        folder: Where what others go on with is kept. None: nowhere.
        seconds: How long it works. It ends after the step at which they are over.
        between: Seconds between two times at which it keeps what it has, so that no more is lost where it is killed.
    """

    folder: Path | None = None
    seconds: float = float("inf")
    between: float = 180.0
    _began: float = field(default_factory=time.monotonic)
    _kept: float = field(default_factory=time.monotonic)

    def file(self, name: str) -> Path | None:
        """Return where *name* is kept."""
        return self.folder and self.folder / name

    def part(self, arm: str, seed: int) -> Path | None:
        """Return where an arm that is not at its end is kept."""
        return self.file(f"{arm}-{seed}.part")

    def is_due(self, at_end: bool) -> bool:
        """Return whether what there is should be kept now; *at_end* of an arm it is stored elsewhere."""
        now = time.monotonic()
        if at_end or not self.folder or (now < self._kept + self.between and not self.is_over):
            return False
        self._kept = now
        return True

    @property
    def is_over(self) -> bool:
        """Return whether the time is over."""
        return time.monotonic() >= self._began + self.seconds

    def check(self) -> None:
        """Raise SliceOverError if the time is over."""
        if self.is_over:
            raise SliceOverError


def keep(weights: Weights, file: Path, about: Mapping[str, Any]) -> None:
    """Write *weights* to *file*, which is there only once it is whole; *about* is what they were made by."""
    part = file.with_name(f"{file.name}.{os.getpid()}")
    save_file(dict(weights), part, metadata={"about": _text(about)})
    part.rename(file)


def read(file: Path, about: Mapping[str, Any]) -> Weights:
    """The weights in *file*.

    Raises:
        WrongPlanError: If they were made by something else than *about*.
    """
    with safe_open(file, framework="pt") as kept:
        if (kept.metadata() or {}).get("about") != _text(about):
            raise WrongPlanError(f"{file} was made by another plan: name another folder for --start")
    found: Weights = load_file(file)
    return found


def save(file: Path | None, about: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Write the *state* of an arm that is not at its end to *file*, which is whole at any time."""
    if file:
        part = file.with_name(f"{file.name}.{os.getpid()}")
        torch.save({"about": _text(about), **state}, part)
        part.rename(file)


def resumed(file: Path | None, about: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The state in *file*; None where there is none, or another plan's."""
    if not file or not file.exists():
        return None
    found: Mapping[str, Any] = torch.load(file, weights_only=True)
    return found if found["about"] == _text(about) else None


def _text(about: Mapping[str, Any]) -> str:
    return json.dumps(about, sort_keys=True)
