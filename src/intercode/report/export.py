"""The promise of an export: WHAT a run is in another format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from intercode.runs.manifest import Manifest
from intercode.types import Trajectory


@dataclass(frozen=True, slots=True)
class RunData:
    """What is to be exported: *episodes* of the run called *name*. `scoring` is what rewards are given under."""

    name: str
    manifest: Manifest
    episodes: tuple[Trajectory, ...]
    scoring: str


@dataclass(frozen=True, slots=True)
class Export:
    """A format. `write` puts the material into a file (or folder) at a path that is free, and says what it wrote.

    `ending` is a file's; "" stands for a folder. `with_errors`: episodes that the machine broke, or that a provider
    refused, have a place in it.
    """

    write: Callable[[RunData, Path], str]
    ending: str
    with_errors: bool


def choose_episodes(
    episodes: Iterable[Trajectory], export: Export, scoring: str, min_reward: float | None
) -> tuple[Trajectory, ...]:
    """Return those of *episodes* that have a place in *export* and at least *min_reward*, where one is asked for."""
    found = [episode for episode in episodes if export.with_errors or episode.is_complete]
    if min_reward is None:
        return tuple(found)
    return tuple(episode for episode in found if (episode.value(scoring) or 0.0) >= min_reward and episode.scores)


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> int:
    """Return one JSON object a line; returns how many."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for count, line in enumerate(lines, 1):  # noqa: B007 - the last count is the answer
            file.write(json.dumps(clean(line), ensure_ascii=False, allow_nan=False) + "\n")
    return count


def clean(value: Any) -> Any:
    """Return *value* as any reader of JSON and UTF-8 can have it: what came out of a sandbox may hold lone surrogates.

    A number that is none (NaN, infinity) is None.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {clean(key): clean(each) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [clean(each) for each in value]
    return value


def rewards(episode: Trajectory, scoring: str) -> dict[str, Any]:
    """Return what an episode came to; None where it was not judged, which is not 0."""
    return {"reward": episode.value(scoring), "success": episode.success(scoring), "scoring": scoring}
