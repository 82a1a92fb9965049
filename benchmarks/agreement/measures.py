"""How far a scoring agrees with the settled labels: rates with intervals, and Cohen's kappa."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.metrics import cohen_kappa_score

from benchmarks.agreement.episodes import Episode
from benchmarks.agreement.labels import LABELS, Label, Labels
from intercode.report.statistics import Interval, bootstrap, wilson

SCALE = 10_000
"""Weights are counted in such parts, since a bootstrap's sizes are whole numbers."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An episode with its settled label, and whether a scoring pays it."""

    episode: Episode
    label: Label
    paid: bool

    @property
    def agrees(self) -> bool:
        """Return whether what is done is paid, and what is not done is not."""
        return self.paid == (self.label == "done")


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many."""

    of: int
    hits: int

    @property
    def interval(self) -> Interval:
        """Wilson's, 95 %."""
        return wilson(self.hits, self.of)

    def __str__(self) -> str:
        if not self.of:
            return "-"
        low, high = self.interval.low, self.interval.high
        return f"{self.hits / self.of:.1%} ({low:.1%} to {high:.1%}), {self.hits} of {self.of}"

    def to_json(self) -> dict[str, Any]:
        """Counts, rate and interval."""
        rate = self.hits / self.of if self.of else None
        return {"of": self.of, "hits": self.hits, "rate": rate, "interval": self.interval.to_json()}


@dataclass(frozen=True, slots=True)
class Measure:
    """One scoring beside the labels. What is arguable counts in none of the rates but the last two.

    Attributes:
        agreement: Paid and done, or neither, of those that are done or not done.
        weighted: The same of all recorded episodes: each read one stands for those that it was drawn from.
        weighted_interval: Of that, over tasks.
        false_negatives: Not paid, of what is done.
        false_positives: Paid, of what is not done.
        kappa: Cohen's, of paid and done.
        strict: Agreement where arguable is not done.
        lenient: Agreement where arguable is done.
    """

    agreement: Rate
    weighted: float
    weighted_interval: Interval | None
    false_negatives: Rate
    false_positives: Rate
    kappa: float
    strict: Rate
    lenient: Rate

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        rates = {
            name: getattr(self, name).to_json()
            for name in ("agreement", "false_negatives", "false_positives", "strict", "lenient")
        }
        interval = None if self.weighted_interval is None else self.weighted_interval.to_json()
        return {**rates, "weighted": self.weighted, "weighted_interval": interval, "kappa": self.kappa}


def measure(verdicts: Sequence[Verdict]) -> Measure:
    """Return all figures of *verdicts*, of which there is at least one that is clear."""
    clear = [each for each in verdicts if each.label != "arguably"]
    done = [each for each in clear if each.label == "done"]
    undone = [each for each in clear if each.label == "not done"]
    weighted, interval = _weighted(clear)
    return Measure(
        agreement=Rate(len(clear), sum(each.agrees for each in clear)),
        weighted=weighted,
        weighted_interval=interval,
        false_negatives=Rate(len(done), sum(not each.paid for each in done)),
        false_positives=Rate(len(undone), sum(each.paid for each in undone)),
        kappa=kappa([each.label == "done" for each in clear], [each.paid for each in clear]),
        strict=Rate(len(verdicts), sum(each.paid == (each.label == "done") for each in verdicts)),
        lenient=Rate(len(verdicts), sum(each.paid == (each.label != "not done") for each in verdicts)),
    )


def _weighted(verdicts: Sequence[Verdict]) -> tuple[float, Interval | None]:
    by_task: Mapping[str, list[Verdict]] = defaultdict(list)
    for each in verdicts:
        by_task[each.episode.task].append(each)
    sums = [sum(round(each.episode.weight * SCALE) for each in group if each.agrees) for group in by_task.values()]
    sizes = [sum(round(each.episode.weight * SCALE) for each in group) for group in by_task.values()]
    return sum(sums) / sum(sizes), bootstrap(sums, sizes)


def kappa(first: Sequence[object], second: Sequence[object]) -> float:
    """Cohen's kappa of two judgements of the same things; NaN where chance alone explains all."""
    with warnings.catch_warnings(action="ignore"):  # it divides by 0 where both say the same of everything
        return float(cohen_kappa_score([*map(str, first)], [*map(str, second)]))


@dataclass(frozen=True, slots=True)
class BetweenReadings:
    """How far the two readings agree: on all three labels, and on whether it is done at all."""

    agreement: Rate
    kappa: float
    kappa_done: float
    counts: Mapping[Label, int]

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        kappas = {"kappa": self.kappa, "kappa_done": self.kappa_done}
        return {"agreement": self.agreement.to_json(), **kappas, "settled": dict(self.counts)}


def between_readings(labels: Labels) -> BetweenReadings:
    """Return the first two readers side by side, and how often each label was settled."""
    pairs = [(labels.by_reader["A"][id].label, labels.by_reader["B"][id].label) for id in labels.both]
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    settled = [labels.settled(id) for id in labels.both]
    return BetweenReadings(
        Rate(len(pairs), sum(one == other for one, other in pairs)),
        kappa(first, second),
        kappa([each == "done" for each in first], [each == "done" for each in second]),
        {label: settled.count(label) for label in LABELS},
    )
