"""Every arm with every seed, stored after each of them, so that a stopped run goes on where it was."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any, Protocol

from examples.learning_curve.results import curve_of, table

Point = tuple[int, dict[str, list[bool]]]
"""The episodes so far, and the success on each held-out task by split."""


class Plan(Protocol):
    """A frozen dataclass that says what is run."""

    @property
    def arms(self) -> Sequence[str]:
        """What the policy learns from."""

    @property
    def seeds(self) -> Sequence[int]:
        """Each arm is trained with each of them."""


class Counter(Protocol):
    """Whatever plays episodes."""

    def counts(self) -> dict[str, int]:
        """How many episodes were asked for, and how many of them were played."""


def collect(
    plan: Plan,
    player: Counter,
    known: Mapping[str, Any],
    before: Mapping[str, Any] | None,
    train: Callable[[Any, int], Iterable[Point]],
) -> Iterator[dict[str, Any]]:
    """The curves so far and *known*, after each arm and seed that *train* has been called with.

    What *before* holds of the same plan is not run again.
    """
    fields = asdict(plan)  # type: ignore[call-overload] # a protocol cannot say that it is a dataclass
    if before is None or before["plan"] != json.loads(json.dumps(fields)):
        before = {"curves": [], "seconds": 0, "episodes": {"asked": 0, "played": 0}}
    began = time.monotonic() - before["seconds"]
    curves: list[dict[str, Any]] = list(before["curves"])
    done = {(curve["seed"], curve["arm"]) for curve in curves}
    for seed, arm in product(plan.seeds, plan.arms):
        if (seed, arm) not in done:
            curves.append(curve_of(arm, seed, list(train(arm, seed))))
            counts = {name: number + before["episodes"][name] for name, number in player.counts().items()}
            seconds = round(time.monotonic() - began)
            yield {"plan": fields, **known, "episodes": counts, "seconds": seconds, "curves": curves}


def stored(file: Path) -> dict[str, Any] | None:
    """What is in *file*; None where there is no such file."""
    found: dict[str, Any] | None = json.loads(file.read_text()) if file.exists() else None
    return found


def store(runs: Iterable[Mapping[str, Any]], file: Path) -> None:
    """Write each of *runs* over the one before it, and print how its last curve ends; at last print the table."""
    for found in runs:
        file.write_text(json.dumps(found) + "\n")
        print(f"{found['seconds']:5.0f} s  {_latest(found['curves'][-1])}", flush=True)
    print(table(json.loads(file.read_text())))


def _latest(curve: Mapping[str, Any]) -> str:
    ends = {split: rows[-1] for split, rows in curve["success"].items()}
    rates = "  ".join(f"{split} {row.count('1') / len(row):.0%}" for split, row in ends.items())
    return f"seed {curve['seed']}  {curve['arm']:14}  {rates}"
