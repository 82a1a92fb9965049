"""`make agreement`: how far each scoring agrees with people who read the same recorded episodes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from rich.console import Console
from rich.table import Table

from benchmarks.agreement import endings, labels, sql_metrics
from benchmarks.agreement.endings import Ending
from benchmarks.agreement.episodes import Episode, World, chosen
from benchmarks.agreement.labels import Labels
from benchmarks.agreement.measures import BetweenReadings, Measure, Verdict, between_readings, measure
from intercode.datasets.base import Dataset
from intercode.datasets.verified import VerifiedDataset
from intercode.types import Scoring

Pays = Callable[[Ending], bool]

console = Console(width=None if sys.stdout.isatty() else 160)


def main() -> None:
    """Replay what was read, score it, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement", description=__doc__)
    worlds: tuple[World, ...] = get_args(World)
    parser.add_argument("--world", choices=worlds, action="append")
    parser.add_argument("--database", default="mysql", help="what SQL is replayed on: mysql, sqlite or a URL")
    parser.add_argument(
        "--differences", action="store_true", help="name the episodes on which scorings and labels differ"
    )
    parser.add_argument("--labels", type=Path, default=labels.FOLDER, help="where the labels are")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    options = parser.parse_args()
    figures = {}
    for world in options.world or worlds:
        stored = labels.stored(world, options.labels)
        episodes = [each for each in chosen(world) if stored.settled(each.id)]
        if not episodes:
            print(f"{world}: nobody has read {len(chosen(world))} chosen episodes: see benchmarks/agreement/README.md")
            continue
        scored = Scored.of(world, episodes, stored, options.database)
        figures[world] = show(world, stored, scored, differences=options.differences)
    if options.out is not None:
        options.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


class Scored:
    """The verdicts of every scoring on the same labels, by the name of the scoring."""

    def __init__(self, verdicts: Mapping[str, Sequence[Verdict]], reworded: frozenset[str]) -> None:
        self.verdicts, self._reworded = verdicts, reworded

    @classmethod
    def of(cls, world: World, episodes: Sequence[Episode], stored: Labels, database: str) -> Scored:
        """Replay *episodes* on the published world and on the verified one."""
        published, verified = endings.load(world), endings.load(world, verified=True)
        assert isinstance(verified, VerifiedDataset)
        tasks_in = [each for each in episodes if each.task not in verified.left_out]
        played = _played(world, episodes, published, database)
        again = _played(world, tasks_in, verified, database)
        found = {name: _verdicts(played, pays, stored) for name, pays in _scorings(world, published).items()}
        found["exact, verified set"] = _verdicts(again, _pays("exact"), stored)
        return cls(found, frozenset(id for id, change in verified.changes.items() if change.reworded))

    def fair(self) -> dict[str, list[Verdict]]:
        """Of episodes that could have gone so in the verified world.

        See `Episode.is_blind`; besides, the request there is the published one.
        """
        return {
            name: [each for each in verdicts if each.episode.is_blind and each.episode.task not in self._reworded]
            for name, verdicts in self.verdicts.items()
        }


def _played(world: World, episodes: Sequence[Episode], dataset: Dataset, database: str) -> list[Ending]:
    with endings.world(world, dataset, database) as open_env:
        played = endings.play_all(episodes, open_env, on_done=endings.progress(f"{world}, {dataset.name}"))
    for each in played:
        if each.error:
            print(f"left out, {each.episode.id}: {each.error}", file=sys.stderr)
    return [each for each in played if not each.error]


def _scorings(world: World, dataset: Dataset) -> dict[str, Pays]:
    found: dict[str, Pays] = {"paper": _pays("paper"), "exact": _pays("exact")}
    if world == "sql":
        found |= {name: _metric(metric, dataset) for name, metric in sql_metrics.METRICS.items()}
    return found


def _metric(metric: sql_metrics.Metric, dataset: Dataset) -> Pays:
    return lambda ending: metric(ending, dataset.find(ending.episode.task))


def _pays(scoring: Scoring) -> Pays:
    return lambda ending: bool(ending.scores and ending.scores[scoring].success)


def _verdicts(played: Sequence[Ending], pays: Pays, stored: Labels) -> list[Verdict]:
    found = [(each.episode, stored.settled(each.episode.id), pays(each)) for each in played]
    return [Verdict(episode, label, paid) for episode, label, paid in found if label is not None]


def show(world: World, stored: Labels, scored: Scored, *, differences: bool) -> dict[str, Any]:
    """Print all about *world*; the same as plain dictionaries."""
    between = between_readings(stored)
    _show_readings(world, between)
    every, fair = _measures(scored.verdicts), _measures(scored.fair())
    _show_measures(f"{world}: all that were read", every)
    _show_measures(
        f"{world}: the fair ones alone (no look at the data before the last action, and the request as published)", fair
    )
    if differences:
        for name, verdicts in scored.verdicts.items():
            wrong = [each for each in verdicts if each.label != "arguably" and not each.agrees]
            console.print(f"{name}: " + ", ".join(f"{each.episode.id} ({each.label})" for each in wrong))
    return {
        "readings": between.to_json(),
        "all": {name: each.to_json() for name, each in every.items()},
        "fair": {name: each.to_json() for name, each in fair.items()},
    }


def _measures(verdicts: Mapping[str, Sequence[Verdict]]) -> dict[str, Measure]:
    return {name: measure(found) for name, found in verdicts.items() if any(each.label != "arguably" for each in found)}


def _show_readings(world: World, between: BetweenReadings) -> None:
    settled = ", ".join(f"{count} {label}" for label, count in between.counts.items())
    console.print(
        f"{world}: both readings agree on {between.agreement}; kappa {between.kappa:.2f} of three labels, "
        f"{between.kappa_done:.2f} of done or not; settled: {settled}"
    )


def _show_measures(title: str, measures: Mapping[str, Measure]) -> None:
    heads = ("agreement", "of all recorded", "false negatives", "false positives", "kappa", "arguable: no", "yes")
    table = Table("scoring", *heads, title=title)
    for name, found in measures.items():
        interval = found.weighted_interval
        spread = f" ({interval.low:.1%} to {interval.high:.1%})" if interval else ""
        table.add_row(
            name,
            str(found.agreement),
            f"{found.weighted:.1%}{spread}",
            str(found.false_negatives),
            str(found.false_positives),
            f"{found.kappa:.2f}",
            *(f"{rate.hits / rate.of:.1%}" for rate in (found.strict, found.lenient)),
        )
    console.print(table)


if __name__ == "__main__":
    main()
