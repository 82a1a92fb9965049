"""`examples/learning_curve`: a tiny run of it, and what it reads from requests and golds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from examples.learning_curve import plot  # noqa: E402
from examples.learning_curve.__main__ import Plan, run  # noqa: E402
from examples.learning_curve.results import arms, intervals, success, table  # noqa: E402
from examples.learning_curve.runner import Point, collect  # noqa: E402
from examples.learning_curve.templates import Library, fill, read  # noqa: E402
from examples.learning_curve.train import Settings  # noqa: E402

from intercode.datasets import load  # noqa: E402

RESULTS = sorted((ROOT / "examples/learning_curve/curves").glob("*.json"))


def test_the_values_of_a_request_become_slots() -> None:
    request = read("Copy `/a/b` to `/a/c`. `/a/b` stays, and 3 lines of `x y` too.")
    assert dict(request.slots) == {"<FILES>": "", "<P1>": "/a/b", "<P2>": "/a/c", "<N1>": "3", "<W1>": "x y"}
    assert request.words[:4] == ("copy", "<P1>", "to", "<P2>")


def test_a_template_that_lacks_a_value_names_nothing_that_is_there() -> None:
    assert fill("cp <P1> <P2>", read("Copy `/a`.")) == "cp /a nothing"


def test_demonstrations_are_the_golds_again() -> None:
    """What is blanked is filled in again: a template of a gold, with the values of its request, is that gold."""
    tasks = list(load("generated-bash", count=200, seed=0, split="train", difficulty="easy"))
    library = Library(tasks)
    shown = [(task, steps) for task in tasks if (steps := library.demonstration(task))]
    assert len(shown) > 100
    for task, steps in shown:
        assert " && ".join(library.command(step, read(task.query)) for step in steps) == task.gold


@pytest.mark.slow
def test_an_agent_learns_by_exact_and_by_demonstrations_and_not_by_chance(tmp_path: Path) -> None:
    """Much smaller than the run in the documentation: few tasks and steps, one seed, and no held-out tasks."""
    plan = Plan(
        arms=("exact", "random", "frozen", "demonstrations"),
        seeds=(0,),
        train=80,
        held_out=80,
        splits=("train",),
        settings=Settings(steps=12, tasks=8, group=4, rate=0.3, every=12),
    )
    *_, found = run(plan)
    last = {curve["arm"]: curve["success"]["train"][-1].count("1") for curve in found["curves"]}
    assert last["exact"] > max(last["frozen"], last["random"])
    assert last["demonstrations"] > max(last["frozen"], last["random"])
    assert found["episodes"]["played"] < found["episodes"]["asked"]
    assert "`exact` less `random`" in table(found)
    assert list(run(plan, before=json.loads(json.dumps(found)))) == []  # nothing is left to run
    plot.draw(found, tmp_path / "curves.svg", "dark", arms(found))
    assert (tmp_path / "curves.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_the_documented_figures_are_those_of_the_stored_curves(path: Path) -> None:
    """And no arm has taken more episodes than another."""
    found = json.loads(path.read_text())
    assert len({tuple(curve["episodes"]) for curve in found["curves"] if curve["arm"] != plot.START}) == 1
    pages = [(ROOT / "docs" / name).read_text() for name in ("learning-curve.md", "language-model-curves-measured.md")]
    assert any(table(found) in page for page in pages)


def test_more_arms_and_seeds_are_added_to_what_is_stored_of_a_plan() -> None:
    """And nothing is kept of another plan."""
    played: list[tuple[str, int]] = []

    class Player:
        def counts(self) -> dict[str, int]:
            return {"asked": 1, "played": 1}

    def train(arm: str, seed: int) -> list[Point]:
        played.append((arm, seed))
        return [(0, {"x": [False]})]

    def last(plan: Plan, before: dict[str, Any] | None = None) -> dict[str, Any]:
        played.clear()
        *_, found = collect(plan, Player(), {}, before, train)
        stored: dict[str, Any] = json.loads(json.dumps(found))
        return stored

    first = last(Plan(arms=("exact",), seeds=(0,)))
    more = last(Plan(arms=("exact", "paper"), seeds=(0, 1)), first)
    assert played == [("paper", 0), ("exact", 1), ("paper", 1)]
    assert (more["plan"]["arms"], more["plan"]["seeds"]) == (["exact", "paper"], [0, 1])
    assert len(more["curves"]) == 4
    assert more["curves"][0] == first["curves"][0]
    other = last(Plan(arms=("exact",), seeds=(0,), train=7), more)
    assert (played, len(other["curves"])) == ([("exact", 0)], 1)


def test_intervals_hold_the_mean() -> None:
    found = {"curves": [{"arm": "exact", "seed": seed, "success": {"x": ["0000", "0011"]}} for seed in (0, 1)]}
    mean, low, high = intervals(success(found, "exact", "x"))
    assert mean.tolist() == [0.0, 0.5]
    assert low[0] == high[0] == 0.0
    assert low[1] < 0.5 < high[1]


@pytest.mark.slow
def test_its_help_says_what_it_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "examples.learning_curve", "--help"],
        cwd=ROOT,
        env={**os.environ, "CI": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--long" in done.stdout
