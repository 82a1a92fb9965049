"""TensorBoard (extra: `tensorboard`): event files in the run's directory, shown by `tensorboard --logdir runs`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import ClassVar

from intercode.loggers.base import Logger
from intercode.types import Trajectory


class TensorboardLogger(Logger):
    """`--log tensorboard`: event files in `tensorboard/` of the run's directory."""

    package: ClassVar[str] = "tensorboardX"

    def set_up(self) -> None:
        from tensorboardX import SummaryWriter

        self._writer = SummaryWriter(str(self.run / "tensorboard"))
        self._writer.add_text("settings", f"```\n{json.dumps(dict(self.settings), indent=2)}\n```")

    def on_episode(self, number: int, episode: Trajectory, figures: Mapping[str, float]) -> None:
        for name, value in figures.items():
            self._writer.add_scalar(f"episode/{name}", value, number)

    def on_end(self, figures: Mapping[str, float]) -> None:
        for name, value in figures.items():
            self._writer.add_scalar(name, value, 0)

    def close(self) -> None:
        self._writer.close()
