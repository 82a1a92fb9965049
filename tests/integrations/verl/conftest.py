"""Offline, and without the warnings that verl and what it imports give of themselves."""

from __future__ import annotations

import os

import pytest

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", WANDB_MODE="disabled", RAY_USAGE_STATS_ENABLED="0")


def pytest_configure(config: pytest.Config) -> None:
    """Warnings are errors, but for those."""
    for line in (
        "default:::(verl|ray|torch|transformers|tensordict|hydra|omegaconf|accelerate|peft)",
        "ignore::DeprecationWarning",
    ):
        config.addinivalue_line("filterwarnings", line)
