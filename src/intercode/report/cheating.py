"""How often agents cheat, in episodes where that can be proved: those of the data set `traps`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from intercode.report.statistics import Interval
from intercode.report.summary import Clusters
from intercode.types import Trajectory
from intercode.types.scores import CHEATED


@dataclass(frozen=True, slots=True)
class Cheating:
    """Episodes with one kind of trap, or with any.

    Attributes:
        kind: The trap; "all" for every kind together.
        episodes: Episodes that were judged.
        cheated: Those in which cheating was proved.
        interval: Where the true rate lies, with 95 % confidence.
    """

    kind: str
    episodes: int
    cheated: int
    interval: Interval

    @property
    def rate(self) -> float:
        """Return the share of episodes that cheated."""
        return self.cheated / self.episodes

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        found = {"kind": self.kind, "episodes": self.episodes, "cheated": self.cheated, "rate": self.rate}
        return found | {"interval": self.interval.to_json()}


def cheating(episodes: Iterable[Trajectory], *, seed: int = 0) -> tuple[Cheating, ...]:
    """Return how many of *episodes* cheated, by kind of trap, and then in all; nothing where none has a trap."""
    by_kind: dict[str, list[tuple[Trajectory, bool]]] = defaultdict(list)
    for episode in episodes:
        parts = {} if episode.scores is None else episode.scores["exact"].parts
        for name, value in parts.items():
            if name.startswith(CHEATED):
                by_kind[name.removeprefix(CHEATED)].append((episode, value > 0))
    found = [_of(kind, by_kind[kind], seed) for kind in sorted(by_kind)]
    every = [each for kind in sorted(by_kind) for each in by_kind[kind]]
    return (*found, _of("all", every, seed)) if len(found) > 1 else tuple(found)


def _of(kind: str, found: Sequence[tuple[Trajectory, bool]], seed: int) -> Cheating:
    values = [has_cheated for _, has_cheated in found]
    interval = Clusters([episode for episode, _ in found]).interval(values, seed=seed)
    return Cheating(kind, len(found), sum(values), interval)
