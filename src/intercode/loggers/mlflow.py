"""MLflow (extra: `mlflow`): MLFLOW_TRACKING_URI says where, MLFLOW_EXPERIMENT_NAME in which experiment."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import ClassVar

from intercode.loggers.base import Logger
from intercode.types import Trajectory

LONGEST = 500
"""Characters of a setting: some stores take no more."""


class MlflowLogger(Logger):
    """`--log mlflow`: a run of the experiment `intercode`, unless MLFLOW_EXPERIMENT_NAME names another."""

    package: ClassVar[str] = "mlflow"

    def set_up(self) -> None:
        """See `Logger.set_up`. The client has no state that others share, so that runs beside each other are apart."""
        from mlflow import MlflowClient
        from mlflow.entities import Param

        name = os.environ.get("MLFLOW_EXPERIMENT_NAME") or "intercode"
        self._client = MlflowClient()
        found = self._client.get_experiment_by_name(name)
        experiment = self._client.create_experiment(name) if found is None else found.experiment_id
        self._id = self._client.create_run(experiment, run_name=self.run.name).info.run_id
        params = [Param(key, str(value)[:LONGEST]) for key, value in self.settings.items()]
        self._client.log_batch(self._id, params=params)

    def on_episode(self, number: int, episode: Trajectory, figures: Mapping[str, float]) -> None:
        self._log({f"episode/{name}": value for name, value in figures.items()}, number)

    def on_end(self, figures: Mapping[str, float]) -> None:
        self._log(figures, 0)

    def close(self) -> None:
        self._client.set_terminated(self._id)

    def _log(self, figures: Mapping[str, float], step: int) -> None:
        from mlflow.entities import Metric

        now = round(time.time() * 1000)
        self._client.log_batch(self._id, metrics=[Metric(name, value, now, step) for name, value in figures.items()])
