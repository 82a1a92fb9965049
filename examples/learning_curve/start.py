"""The weights that all arms of a seed begin with, kept for other processes. Needs torch."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from examples.learning_curve.runner import WrongPlanError
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

Weights = Mapping[str, Tensor]


def keep(weights: Weights, file: Path, about: Mapping[str, Any]) -> None:
    """Write *weights* to *file*, which is there only once it is whole; *about* is what they were made by."""
    part = file.with_name(f"{file.name}.{os.getpid()}")
    save_file(weights, part, metadata={"about": _text(about)})
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


def _text(about: Mapping[str, Any]) -> str:
    return json.dumps(about, sort_keys=True)
