"""What stored curves say: means, and intervals by a paired bootstrap over tasks and seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SAMPLES = 2000


def curve_of(arm: str, seed: int, points: Sequence[tuple[int, Mapping[str, Sequence[bool]]]]) -> dict[str, Any]:
    """A curve as it is stored, of *points*: the episodes so far, and success on each task by split."""
    splits = points[0][1]
    return {
        "arm": arm,
        "seed": seed,
        "episodes": [episodes for episodes, _ in points],
        "success": {
            split: ["".join(str(int(each)) for each in success[split]) for _, success in points] for split in splits
        },
    }


def episodes(found: Mapping[str, Any], arm: str) -> list[int]:
    """The episodes, or golds, after which *arm* was looked at."""
    seen: list[int] = next(curve["episodes"] for curve in found["curves"] if curve["arm"] == arm)
    return seen


def success(found: Mapping[str, Any], arm: str, split: str) -> NDArray[np.float64]:
    """Success of *arm* on *split* by seed, point and task."""
    curves = sorted((curve for curve in found["curves"] if curve["arm"] == arm), key=lambda curve: curve["seed"])
    rows = [[[float(each) for each in point] for point in curve["success"][split]] for curve in curves]
    return np.array(rows)


def arms(found: Mapping[str, Any]) -> list[str]:
    """Those that have curves, in the plan's order."""
    there = {curve["arm"] for curve in found["curves"]}
    return [arm for arm in found["plan"]["arms"] if arm in there]


def intervals(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean and 95 % interval at each point, of *values* by seed, point and task.

    Every sample draws seeds and tasks anew, the same at all points and for all arms with as many of each: differences
    of two arms (`success(…) - success(…)`) are paired.
    """
    chance = np.random.default_rng(0)
    seeds, _, tasks = values.shape
    means = []
    for _ in range(SAMPLES):
        drawn = values[chance.integers(seeds, size=seeds)].mean(axis=0)
        means.append(drawn[:, chance.integers(tasks, size=tasks)].mean(axis=1))
    low, high = np.percentile(np.stack(means), (2.5, 97.5), axis=0)
    return values.mean(axis=(0, 2)), low, high


def table(found: Mapping[str, Any]) -> str:
    """The last points, as Markdown: success in per cent, and how much more `exact` has."""
    splits = list(found["plan"]["splits"])
    lines = ["| arm |" + "".join(f" {split} |" for split in splits), "|---|" + "---|" * len(splits)]
    lines += [_row(f"`{arm}`", [success(found, arm, split) for split in splits]) for arm in arms(found)]
    if "exact" in arms(found):
        lines += _differences(found, splits)
    return "\n".join(lines)


def _differences(found: Mapping[str, Any], splits: Sequence[str]) -> list[str]:
    exact = {split: success(found, "exact", split) for split in splits}
    others = [arm for arm in arms(found) if arm != "exact"]
    return [
        _row(f"`exact` less `{arm}`", [exact[split][:, -1:] - success(found, arm, split)[:, -1:] for split in splits])
        for arm in others
    ]


def _row(name: str, cells: Sequence[NDArray[np.float64]]) -> str:
    return f"| {name} |" + "".join(f" {_cell(each)} |" for each in cells)


def _cell(values: NDArray[np.float64]) -> str:
    mean, low, high = (100 * each[-1] for each in intervals(values))
    return f"{mean:.0f} ({low:.0f} to {high:.0f})"
