"""`python -m examples.learning_curve`: train every arm with every seed, and write their curves."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from examples.learning_curve.episodes import Player
from examples.learning_curve.policy import Features
from examples.learning_curve.results import curve_of, table
from examples.learning_curve.templates import Library, read
from examples.learning_curve.train import ARMS, Arm, Learner, Setting, Settings

from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.types import Task

TOPICS = ("archives", "gather", "links", "mail", "settings")
HELD_OUT = ("test-parameters", "test-phrasings", "test-families")


@dataclass(frozen=True)
class Plan:
    """What is run: the arms, the seeds, and how many generated tasks there are before other topics are left out."""

    arms: tuple[Arm, ...] = ARMS
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    train: int = 300
    held_out: int = 160
    splits: tuple[str, ...] = HELD_OUT
    settings: Settings = field(default_factory=Settings)


SHORT = Plan(seeds=(0, 1), splits=("test-parameters",), settings=Settings(steps=30))


def main(arguments: Sequence[str] | None = None) -> None:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="examples.learning_curve", description=main.__doc__)
    parser.add_argument("--long", action="store_true", help="the run that the documentation shows")
    parser.add_argument("--out", type=Path, default=Path("curves.json"), metavar="FILE")
    parser.add_argument("--arms", type=lambda names: tuple(names.split(",")), metavar="NAME,…", help=", ".join(ARMS))
    parser.add_argument("--seeds", type=int, metavar="N", help="how many")
    parser.add_argument("--steps", type=int, metavar="N")
    parser.add_argument("--splits", type=lambda names: tuple(names.split(",")), metavar="NAME,…", help="held-out tasks")
    parser.add_argument("--episodes", type=Path, metavar="FILE", help="keep what was played, to go on from there")
    chosen = parser.parse_args(arguments)
    plan = Plan() if chosen.long else SHORT
    if chosen.steps is not None:
        plan = replace(plan, settings=replace(plan.settings, steps=chosen.steps))
    plan = replace(
        plan,
        arms=chosen.arms or plan.arms,
        seeds=plan.seeds if chosen.seeds is None else tuple(range(chosen.seeds)),
        splits=chosen.splits or plan.splits,
    )
    before = json.loads(chosen.out.read_text()) if chosen.out.exists() else None
    for found in run(plan, episodes=chosen.episodes, before=before):
        chosen.out.write_text(json.dumps(found) + "\n")
        print(f"{found['seconds']:5.0f} s  {_latest(found['curves'][-1])}", flush=True)
    print(table(json.loads(chosen.out.read_text())))


def run(
    plan: Plan, *, episodes: Path | None = None, before: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """The curves of *plan* so far, after each of them: success on each held-out task as a string of 0 and 1.

    What *before* holds of the same plan is not run again. *episodes*: see `Player`.
    """
    if before is None or before["plan"] != json.loads(json.dumps(asdict(plan))):
        before = {"curves": [], "seconds": 0, "episodes": {"asked": 0, "played": 0}}
    began = time.monotonic() - before["seconds"]
    counts = {"train": plan.train, **dict.fromkeys(plan.splits, plan.held_out)}
    datasets = {
        split: load("generated-bash", count=count, seed=0, split=split, difficulty="easy")
        for split, count in counts.items()
    }
    curves: list[dict[str, Any]] = list(before["curves"])
    done = {(curve["seed"], curve["arm"]) for curve in curves}
    with Player(list(datasets.values()), file=episodes) as player:
        setting = _setting(player, datasets)
        known = {
            "plan": asdict(plan),
            "templates": len(setting.library.templates),
            "tasks": {split: [task.id for task in tasks] for split, tasks in setting.tasks.items()},
            "in_library": {split: _share(setting.library, setting.tasks[split]) for split in plan.splits},
        }
        for seed, arm in product(plan.seeds, plan.arms):
            if (seed, arm) in done:
                continue
            curves.append(_curve(setting, arm, seed, plan))
            counts = {name: number + before["episodes"][name] for name, number in player.counts().items()}
            yield known | {"episodes": counts, "seconds": round(time.monotonic() - began), "curves": curves}


def _setting(player: Player, datasets: Mapping[str, Dataset]) -> Setting:
    """The tasks of `TOPICS`; of those for training, the ones that the templates can solve."""
    tasks = {split: [task for task in dataset if task.category in TOPICS] for split, dataset in datasets.items()}
    library = Library(tasks["train"])
    tasks["train"] = [task for task in tasks["train"] if library.demonstration(task)]
    return Setting(player, library, Features([read(task.query) for task in tasks["train"]]), tasks)


def _curve(setting: Setting, arm: Arm, seed: int, plan: Plan) -> dict[str, Any]:
    return curve_of(arm, seed, list(Learner(setting, arm, seed, plan.settings).run(plan.splits)))


def _latest(curve: Mapping[str, Any]) -> str:
    ends = {split: rows[-1] for split, rows in curve["success"].items()}
    rates = "  ".join(f"{split} {row.count('1') / len(row):.0%}" for split, row in ends.items())
    return f"seed {curve['seed']}  {curve['arm']:14}  {rates}"


def _share(library: Library, tasks: Sequence[Task]) -> float:
    return round(sum(library.demonstration(task) is not None for task in tasks) / len(tasks), 3)


if __name__ == "__main__":
    main()
