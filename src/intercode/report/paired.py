"""Is the difference of pairs chance? One procedure gives both the interval and the p-value, so they never contradict.

Of pairs of yes and no (one try at each task): McNemar's test as a score test, and Tango's interval, which holds every
difference that the same score test does not refuse. Of pairs of rates (several tries): Student's paired t, both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import atan2, cos, erfc, inf, pi, sin, sqrt

from intercode.report.statistics import DECIMALS, Interval, Z

LEVEL = 0.05
"""A p-value below this goes with an interval of 95 % that does not hold 0."""

MCNEMAR = "McNemar's score test, Tango's interval"
STUDENT = "Student's paired t"

HALVINGS = 60
"""After so many bisections of [-1, 1] no float lies between."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `procedure` says: the interval of the mean difference, and the two-sided p-value of there being none."""

    interval: Interval
    p: float
    procedure: str

    @property
    def is_shown(self) -> bool:
        """Return whether a difference is shown: by the p-value and by the interval alike."""
        return self.p < LEVEL


def judge(differences: Sequence[float]) -> Verdict:
    """Return the verdict on *differences* in [-1, 1], one for each pair."""
    if {-1.0, 0.0, 1.0}.issuperset(differences) or len({round(each, DECIMALS) for each in differences}) < 2:
        won, lost = (sum(max(0.0, sign * each) for each in differences) for sign in (1, -1))
        return Verdict(tango(won, lost, len(differences)), mcnemar(won, lost), MCNEMAR)
    return student(differences)


def mcnemar(won: float, lost: float) -> float:
    """Return the two-sided p-value of *won* against *lost* pairs by their score, (won - lost) / sqrt(won + lost).

    Q. McNemar, "Note on the sampling error of the difference between correlated proportions", Psychometrika 12 (1947).
    M. W. Fagerland, S. Lydersen and P. Laake recommend it, without correction, and Tango's interval beside it:
    "Recommended tests and confidence intervals for paired binomial proportions", Statistics in Medicine 33 (2014).
    """
    return erfc(abs(won - lost) / sqrt(2 * (won + lost))) if won + lost else 1.0


def tango(won: float, lost: float, pairs: int, z: float = Z) -> Interval:
    """Return the interval of the difference of two rates over the same *pairs*; all of [-1, 1] without any.

    T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample design",
    Statistics in Medicine 17 (1998). *won* and *lost* may be sums of parts of pairs: the interval is then too wide.
    """
    if not pairs:
        return Interval(-1.0, 1.0)
    seen = (won - lost) / pairs
    low = _root(lambda difference: _score(won, lost, pairs, difference) - z, -1.0, seen)
    high = _root(lambda difference: _score(won, lost, pairs, difference) + z, seen, 1.0)
    return Interval(low, high)


def _score(won: float, lost: float, pairs: int, difference: float) -> float:
    """Return how many standard errors the difference seen lies above a true one, if that were so.

    It falls with the latter.
    """
    above = won - lost - pairs * difference
    linear = (2 * pairs - won + lost) * difference - won - lost
    rest = -lost * difference * (1 - difference)
    share = (sqrt(max(0.0, linear * linear - 8 * pairs * rest)) - linear) / (4 * pairs)  # of pairs lost, if so
    variance = pairs * (2 * share + difference * (1 - difference))
    if variance > 0:
        return above / sqrt(variance)
    return inf if above > 0 else -inf if above < 0 else 0.0


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where *falling* passes 0 between *low* and *high*; the end towards which it does, if it does not."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2


def student(differences: Sequence[float]) -> Verdict:
    """Return the paired t-test, and its interval. Not all of *differences* may be the same.

    Student, "The probable error of a mean", Biometrika 6 (1908).
    """
    count = len(differences)
    mean = sum(differences) / count
    error = sqrt(sum((each - mean) ** 2 for each in differences) / (count - 1) / count)
    reach = error * _root(lambda t: _beyond(t, count - 1) - LEVEL, 0.0, 16.0)  # 12.7 is the widest, of two pairs
    interval = Interval(max(-1.0, mean - reach), min(1.0, mean + reach))
    return Verdict(interval, _beyond(abs(mean) / error, count - 1), STUDENT)


def _beyond(t: float, degrees: int) -> float:
    """Return how likely Student's t is farther from 0 than *t*.

    Abramowitz and Stegun's finite series, 26.7.3 and 26.7.4.
    """
    angle = atan2(t, sqrt(degrees))
    square, odd = cos(angle) ** 2, degrees % 2
    term = cos(angle) if odd else 1.0
    total = term if degrees > 1 else 0.0
    for step in range(2 + odd, degrees, 2):
        term *= square * (step - 1) / step
        total += term
    within = 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
    return min(1.0, max(0.0, 1 - within))
