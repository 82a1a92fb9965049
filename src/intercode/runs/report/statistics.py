"""The statistics of success rates: intervals, pass@k, and the exact test on pairs.

They are short and are checked against SciPy in the tests; SciPy itself takes longer to import than a report to make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

Z = 1.959963984540054
"""The standard normal's quantile for 95 %."""

RESAMPLES = 2000
"""How often a bootstrap draws: the ends of a 95 % interval then have 50 draws beyond them."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Holds the true value with 95 % confidence."""

    low: float
    high: float

    def to_json(self) -> list[float]:
        """Both ends."""
        return [self.low, self.high]


def wilson(successes: float, trials: float, z: float = Z) -> Interval:
    """The interval of a rate with the confidence of *z*; all of [0, 1] without trials.

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
    """The chance that of *k* tries at a task one succeeds, when of *tries* so many succeeded: unbiased for k <= tries.

    M. Chen et al., "Evaluating Large Language Models Trained on Code" (2021), equation 1.
    """
    if not 1 <= k <= tries:
        raise ValueError(f"pass@{k} cannot be told from {tries} tries")
    return 1.0 - comb(tries - successes, k) / comb(tries, k)


def mcnemar(won: int, lost: int) -> float:
    """The two-sided exact p-value of *won* against *lost* pairs: how likely so uneven a split is by chance alone.

    Q. McNemar, "Note on the sampling error of the difference between correlated proportions", Psychometrika 12 (1947).
    Pairs that agree say nothing. With means of several tries in place of yes and no this is the exact sign test.
    """
    decided, ways, tail = won + lost, 1, 0
    for count in range(min(won, lost) + 1):  # `ways` is comb(decided, count), each made from the one before
        tail += ways
        ways = ways * (decided - count) // (count + 1)
    return min(1.0, float(2 * tail / (1 << decided)))


def paired_difference(won: int, lost: int, pairs: int, z: float = Z) -> Interval:
    """The interval of the difference of two rates over the same *pairs*; all of [-1, 1] without any.

    D. G. Bonett and R. M. Price, "Adjusted Wald Confidence Interval for a Difference of Binomial Proportions Based on
    Paired Data", Journal of Educational and Behavioral Statistics 37 (2012): sound where pairs are few or one-sided.
    """
    if not pairs:
        return Interval(-1.0, 1.0)
    up, down = (won + 1) / (pairs + 2), (lost + 1) / (pairs + 2)
    spread = z * sqrt((up + down - (up - down) ** 2) / (pairs + 2))
    return Interval(max(-1.0, up - down - spread), min(1.0, up - down + spread))


def bootstrap(sums: Sequence[float], counts: Sequence[int], *, seed: int = 0) -> Interval | None:
    """The percentile interval of `sum(sums) / sum(counts)` when whole clusters are drawn anew, with replacement.

    Each place of *sums* and *counts* is one cluster, such as the tries at one task: they are alike, and so count for
    less than as many independent ones. None where the draws cannot differ, since then they say nothing. Clusters that
    are equal are drawn together: how many of each kind a draw has is all that counts.
    """
    alike = Counter(zip(sums, counts, strict=True))
    if len({total / count for total, count in alike}) < 2:
        return None
    import numpy

    kinds, often = numpy.array(list(alike), float), numpy.array(list(alike.values()))
    drawn = numpy.random.default_rng(seed).multinomial(len(sums), often / len(sums), size=RESAMPLES) @ kinds
    low, high = numpy.quantile(drawn[:, 0] / drawn[:, 1], (0.025, 0.975))
    return Interval(float(low), float(high))
