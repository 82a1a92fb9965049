"""Loggers of a run, as a callback: what they raise never breaks it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from intercode import registry
from intercode.errors import IntercodeError
from intercode.loggers.base import Logger
from intercode.report.report import report
from intercode.runs import store as stores
from intercode.runs.callback import ProgressCallback
from intercode.runs.store import RunStore
from intercode.types import Trajectory

Say = Callable[[str], None]

MOST = 300
"""Characters of somebody else's error that are said."""


class LoggingCallback(ProgressCallback):
    """Hands the logger called *name* every episode of the run in *store*, and at the end what a report says of it.

    *say* hears once, in words, what went wrong later.

    Raises:
        UserError: For a logger that there is not, or that lacks its package.
    """

    def __init__(self, name: str, store: RunStore, scoring: str, say: Say) -> None:
        self._name, self._store, self._scoring, self._say = name, store, scoring, say
        self._lock, self._number = Lock(), 0
        registry.find("loggers", name)  # what its file raises ends the run, before it begins
        settings = store.manifest.settings.to_json()
        self._logger: Logger | None = None
        try:
            self._logger = registry.create("loggers", name, store.path, settings)
        except IntercodeError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as in `_try`
            self._report_failure(error)

    def on_trajectory(self, trajectory: Trajectory) -> None:
        with self._lock:
            self._number += 1
            number, figures = self._number, figures_of(trajectory, self._scoring)
            self._try(lambda logger: logger.on_episode(number, trajectory, figures))

    def close(self) -> None:
        with self._lock:
            self._try(lambda logger: logger.on_end(self._report()))
            self._try(lambda logger: logger.close())
            self._logger = None

    def _report(self) -> dict[str, float]:
        found = report(stores.read(self._store.path, outlines=True)).to_json()
        return flat({name: found[name] for name in ("planned", "missing", "summary", "errors")})

    def _try(self, do: Callable[[Logger], object]) -> None:
        if self._logger is None:
            return
        try:
            do(self._logger)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever somebody else's code raises, the run goes on
            self._report_failure(error)

    def _report_failure(self, error: BaseException) -> None:
        self._logger = None
        lines = _text_of(error).strip().splitlines()
        said = f"{type(error).__name__}: {lines[0][:MOST]}" if lines else type(error).__name__
        self._say(f"--log {self._name} failed, and logs no more of this run: {said}")


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - it is somebody else's, as the rest
        return ""


def figures_of(episode: Trajectory, scoring: str) -> dict[str, float]:
    """Return what can be plotted of one *episode*; what is not known is not there."""
    success = episode.success(scoring)
    found = {
        "success": None if success is None else float(success),
        "error": float(episode.status == "error"),
        "refused": float(episode.status == "refused"),
        **{f"reward/{name}": score.value for name, score in (episode.scores or {}).items()},
        "turns": len(episode.turns),
        "seconds": episode.seconds,
        "prompt_tokens": episode.usage.prompt_tokens,
        "completion_tokens": episode.usage.completion_tokens,
        "cost": episode.usage.cost,
    }
    return {name: float(value) for name, value in found.items() if value is not None}


def flat(figures: Mapping[str, Any], before: str = "") -> dict[str, float]:
    """Return the numbers in *figures*, each by its path: `rewards/exact`. Lists are left out."""
    found: dict[str, float] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{before}{name}/")
        elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            found[f"{before}{name}"] = float(value)
    return found
