"""Weights & Biases (extra: `wandb`): its own variables say where, such as WANDB_PROJECT and WANDB_MODE=offline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar

from intercode.loggers.base import Logger
from intercode.types import Trajectory


class WandbLogger(Logger):
    """`--log wandb`: a run of the project `intercode`, unless WANDB_PROJECT names another."""

    package: ClassVar[str] = "wandb"

    def set_up(self) -> None:
        import wandb

        project = os.environ.get("WANDB_PROJECT") or "intercode"
        quiet = wandb.Settings(silent=True, disable_git=True)
        self._run = wandb.init(project=project, name=self.run.name, config=dict(self.settings), settings=quiet)

    def on_episode(self, number: int, episode: Trajectory, figures: Mapping[str, float]) -> None:
        self._run.log({f"episode/{name}": value for name, value in figures.items()}, step=number)

    def on_end(self, figures: Mapping[str, float]) -> None:
        self._run.summary.update(dict(figures))

    def close(self) -> None:
        self._run.finish()
