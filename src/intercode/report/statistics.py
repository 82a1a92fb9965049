"""The statistics of success rates and rewards: intervals and pass@k (`paired` has those of pairs).

They are short and are checked against SciPy in the tests; SciPy itself takes longer to import than a report to make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, nan, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64
    from numpy.random import Generator
    from numpy.typing import NDArray

Z = 1.959963984540054
"""The standard normal's quantile for 95 %."""

RESAMPLES = 2000
"""How often a bootstrap draws: the ends of a 95 % interval then have 50 draws beyond them."""

FEW = 64
"""Clusters up to which a bootstrap draws each alone. More are drawn by their kinds, which is cheaper then."""

KINDS = 32
"""How many kinds of clusters are told apart, where there are more than a few: what drawing costs grows with them."""

DECIMALS = 9
"""Means that differ only beyond these are the same: the rest is what adding floats leaves."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Holds the true value with 95 % confidence."""

    low: float
    high: float

    def to_json(self) -> list[float]:
        """Return both ends."""
        return [self.low, self.high]


def wilson(successes: float, trials: float, z: float = Z) -> Interval:
    """Return the interval of a rate with the confidence of *z*; all of [0, 1] without trials.

    E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927).
    """
    if not trials:
        return Interval(0.0, 1.0)
    rate, share = successes / trials, z * z / trials
    centre = rate + share / 2
    spread = z * sqrt(rate * (1 - rate) / trials + share / (4 * trials))
    low, high = (centre - spread) / (1 + share), (centre + spread) / (1 + share)
    return Interval(min(rate, max(0.0, low)), max(rate, min(1.0, high)))  # rounding must not shut out a rate of 0 or 1


def pass_at(k: int, tries: int, successes: int) -> float:
    """pass@k: the chance that of *k* tries at a task one succeeds, estimated without bias from *tries* >= *k*.

    M. Chen et al., "Evaluating Large Language Models Trained on Code" (2021), equation 1.

    Raises:
        ValueError: If *k* is more than *tries*.
    """
    if not 1 <= k <= tries:
        raise ValueError(f"pass@{k} cannot be told from {tries} tries")
    return 1.0 - comb(tries - successes, k) / comb(tries, k)


def mean_interval(values: Sequence[float], *, seed: int = 0) -> Interval:
    """Return where the true mean lies of what *values* are drawn from.

    It is Wilson's interval where all values are 0 or 1, and where all agree: then a bootstrap says nothing. Otherwise
    it is a bootstrap over the tasks.

    Args:
        values: One for each task, none above 1.
        seed: The bootstrap's.
    """
    if {0.0, 1.0}.issuperset(values):
        return wilson(sum(values), len(values))
    return bootstrap(values, [1] * len(values), seed=seed) or total_interval(sum(values), len(values))


def total_interval(total: float, trials: int) -> Interval:
    """Wilson's interval of the mean of *trials* values in [0, 1] whose sum is *total*.

    A published reward may be as low as -1: a total below 0 is taken for one of values in [-1, 1]. For a total that no
    such values have, both ends are NaN.
    """
    if not abs(total) <= trials:
        return Interval(nan, nan)
    if total >= 0:
        return wilson(total, trials)
    found = wilson((total + trials) / 2, trials)
    return Interval(found.low * 2 - 1, found.high * 2 - 1)


def bootstrap(sums: Sequence[float], counts: Sequence[int], *, seed: int = 0) -> Interval | None:
    """Return the percentile interval of `sum(sums) / sum(counts)` when whole clusters are resampled, with replacement.

    A cluster is, for example, all tries at one task: they are alike, and so count for less than as many independent
    ones.

    Args:
        sums: The sum of each cluster.
        counts: The size of each cluster.
        seed: The sampler's.

    Returns:
        The interval, with 95 % confidence. None where all samples are equal, since then they say nothing.
    """
    clusters = list(zip(sums, counts, strict=True))
    if len({round(total / count, DECIMALS) for total, count in clusters}) < 2:
        return None
    import numpy

    totals, sizes = numpy.transpose(_resample(clusters, numpy.random.default_rng(seed)))
    low, high = numpy.quantile(totals / sizes, (0.025, 0.975))
    return Interval(float(low), float(high))


def _resample(clusters: Sequence[tuple[float, int]], generator: Generator) -> NDArray[float64]:
    """Return what each draw of as many of *clusters* sums up to, in a line.

    Of many clusters those that are equal are drawn together: how many of each kind a draw has is all that counts.
    """
    import numpy

    if len(clusters) <= FEW:
        places = generator.integers(len(clusters), size=(RESAMPLES, len(clusters)))
        return numpy.stack([numpy.array(each, float)[places].sum(axis=1) for each in zip(*clusters, strict=True)], 1)
    alike = Counter(clusters)
    if len(alike) > KINDS:
        alike = _merge_clusters(alike)
    often = numpy.array(list(alike.values()))
    drawn: NDArray[float64] = generator.multinomial(len(clusters), often / len(clusters), size=RESAMPLES) @ list(alike)
    return drawn


def _merge_clusters(alike: Mapping[tuple[float, int], int]) -> Counter[tuple[float, int]]:
    """Return the same clusters with those made equal whose means lie in the same of `KINDS` parts of all means' range.

    A part's clusters, of one size each, get the mean of their sums, so that the mean of all stays. What scatters within
    a part is lost: less than a thousandth of what would scatter over the whole range.
    """
    means = [total / count for total, count in alike]
    least, part = min(means), (max(means) - min(means)) / KINDS
    found: dict[tuple[int, int], tuple[float, int]] = {}
    for (total, count), often in alike.items():
        place = count, min(int((total / count - least) / part), KINDS - 1)
        before, so_many = found.get(place, (0.0, 0))
        found[place] = before + total * often, so_many + often
    merged: Counter[tuple[float, int]] = Counter()
    for (count, _), (total, often) in found.items():
        merged[total / often, count] += often
    return merged
