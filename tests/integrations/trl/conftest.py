"""Offline, and without the warning that TRL's interface is young."""

from __future__ import annotations

import os

os.environ.update(TRL_EXPERIMENTAL_SILENCE="1", HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", WANDB_MODE="disabled")
