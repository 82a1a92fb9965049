"""Slopes on logarithmic axes: 0 for what does not grow, 1 for what grows as fast as the size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log
from typing import Any

from scipy import stats

Point = tuple[float, float]


def curves(axis: Mapping[str, Any]) -> dict[str, list[Point]]:
    """Return the stored points of *axis* by part: a size, and the least of the times there, in ms.

    The least, for whatever else the machine does only adds to a time.
    """
    parts = axis["points"][0]["parts"]
    return {part: [(each["size"], each["parts"][part]["minimum"]) for each in axis["points"]] for part in parts}


def fit(points: Sequence[Point]) -> float:
    """Return the slope of the line through all of *points*."""
    sizes, times = zip(*points, strict=True)
    return float(stats.linregress([log(size) for size in sizes], [log(time) for time in times]).slope)


def last(points: Sequence[Point]) -> float:
    """Return the slope from the last point but one to the last: a constant part hides growth at smaller sizes."""
    (size, time), (larger, longer) = list(pairwise(points))[-1]
    return (log(longer) - log(time)) / (log(larger) - log(size))
