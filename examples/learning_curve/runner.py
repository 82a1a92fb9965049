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


class WrongPlanError(ValueError):
    """What was stored before does not go with what is asked for now."""


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

    What *before* holds of the same plan is kept and not run again, also where it has other arms and seeds.
    """
    fields = json.loads(json.dumps(asdict(plan)))  # type: ignore[call-overload] # a protocol does not say: a dataclass
    if before is None or _settings(before["plan"]) != _settings(fields):
        before = {"curves": [], "seconds": 0, "episodes": {"asked": 0, "played": 0}}
    else:
        fields |= _wider([fields, before["plan"]])
    began = time.monotonic() - before["seconds"]
    curves: list[dict[str, Any]] = list(before["curves"])
    done = {(curve["seed"], curve["arm"]) for curve in curves}
    for seed, arm in product(plan.seeds, plan.arms):
        if (seed, arm) not in done:
            curves.append(curve_of(arm, seed, list(train(arm, seed))))
            counts = {name: number + before["episodes"][name] for name, number in player.counts().items()}
            seconds = round(time.monotonic() - began)
            yield {"plan": fields, **known, "episodes": counts, "seconds": seconds, "curves": curves}


def join(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The curves of several runs as of one: they may differ in their arms and seeds, and in nothing else of the plan.

    Raises:
        WrongPlanError: For runs of different plans or tasks, or where two have the same curve.
    """
    first = dict(parts[0])
    alike = [(_settings(part["plan"]), part["tasks"]) for part in parts]
    curves = [curve for part in parts for curve in part["curves"]]
    if any(each != alike[0] for each in alike):
        raise WrongPlanError("these runs differ in more than their arms and seeds")
    if len({(curve["arm"], curve["seed"]) for curve in curves}) < len(curves):
        raise WrongPlanError("two of these runs have the same curve")
    both = _wider([part["plan"] for part in parts])
    played = {name: sum(part["episodes"][name] for part in parts) for name in first["episodes"]}
    return {
        **first,
        "plan": {**first["plan"], **both},
        "earned": {key: value for part in parts for key, value in part.get("earned", {}).items()},
        "episodes": played,
        "seconds": sum(part["seconds"] for part in parts),
        "curves": curves,
    }


GROWS = ("arms", "seeds")
"""What may be added to a plan without that its curves change."""


def _settings(plan: Mapping[str, Any]) -> dict[str, Any]:
    """All of a stored *plan* that decides what a curve looks like."""
    return {name: value for name, value in plan.items() if name not in GROWS}


def _wider(plans: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The arms and the seeds of all *plans*."""
    return {name: list(dict.fromkeys(each for plan in plans for each in plan[name])) for name in GROWS}


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
