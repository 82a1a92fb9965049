"""`python -m examples.learning_curve`: train every arm with every seed, and write their curves."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from examples.learning_curve.episodes import Player
from examples.learning_curve.policy import Features
from examples.learning_curve.runner import collect, store, stored
from examples.learning_curve.tasks import HELD_OUT, load_tasks
from examples.learning_curve.templates import Library, read
from examples.learning_curve.train import ARMS, Arm, Learner, Setting, Settings

from intercode.types import Task


@dataclass(frozen=True)
class Plan:
    """What is run: the arms, the seeds, and how many generated tasks there are before other topics are left out."""

    arms: tuple[Arm, ...] = ARMS
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    train: int = 300
    held_out: int = 160
    splits: tuple[str, ...] = HELD_OUT
    settings: Settings = field(default_factory=Settings)


SHORT = Plan(seeds=(0,), splits=("test-parameters",), settings=Settings(steps=30))


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
    store(run(plan, episodes=chosen.episodes, before=stored(chosen.out)), chosen.out)


def run(
    plan: Plan, *, episodes: Path | None = None, before: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """The curves of *plan* so far, after each of them: success on each held-out task as a string of 0 and 1.

    What *before* holds of the same plan is not run again. *episodes*: see `Player`.
    """
    datasets, tasks, library = load_tasks(plan.train, plan.held_out, plan.splits)
    with Player(datasets, file=episodes) as player:
        setting = Setting(player, library, Features([read(task.query) for task in tasks["train"]]), tasks)
        known = {
            "templates": len(library.templates),
            "tasks": {split: [task.id for task in each] for split, each in tasks.items()},
            "in_library": {split: _share(library, tasks[split]) for split in plan.splits},
        }
        yield from collect(
            plan,
            player,
            known,
            before,
            lambda arm, seed: Learner(setting, arm, seed, plan.settings).run(plan.splits),
        )


def _share(library: Library, tasks: Sequence[Task]) -> float:
    return round(sum(library.demonstration(task) is not None for task in tasks) / len(tasks), 3)


if __name__ == "__main__":
    main()
