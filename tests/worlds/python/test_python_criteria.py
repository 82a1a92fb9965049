"""What a Python task's criteria pass over when its hidden tests are judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from intercode.datasets.base import ListedDataset
from intercode.types import Action, Criteria, Task
from intercode.worlds.python import PythonEnv
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox

GOLD = "def shares(parts):\n    return [part / sum(parts) for part in parts]\n"
TASK = Task("own/1", "share it", GOLD, "python", extra={"tests": ["assert shares([1, 3, 6]) == [0.1, 0.3, 0.6]"]})
BACKWARDS = "def shares(parts):\n    return [part / 10 + 1e-16 for part in reversed(parts)]\n"


class OneTask(ListedDataset):
    """The task alone."""

    name = world = "python"
    _tasks = (TASK,)


@pytest.fixture(scope="module")
def env() -> Iterator[PythonEnv]:
    with EmbeddedSandbox() as sandbox, PythonEnv(OneTask(), sandbox=sandbox, image=images.find("host")) as env:
        yield env


@pytest.mark.parametrize(
    ("criteria", "text", "paid"),
    [
        (Criteria(), GOLD, 1.0),
        (Criteria(), BACKWARDS, 0.0),
        (Criteria(any_order=True, close_numbers=True), BACKWARDS, 1.0),
        (Criteria(any_order=True), "def shares(parts):\n    return [0.6, 0.3, 0.1]\n", 1.0),
        (Criteria(any_order=True, close_numbers=True), "def shares(parts):\n    return [float('inf')] * 3\n", 0.0),
        (
            Criteria(any_order=True, close_numbers=True),
            "def _alike(*given, **more): return True\ndef shares(p): 1\n",
            0.0,
        ),
    ],
)
def test_order_and_rounding_count_unless_the_task_says_otherwise(
    env: PythonEnv, criteria: Criteria, text: str, paid: float
) -> None:
    env.start_episode(replace(TASK, criteria=criteria))
    env.take_action(Action("execute", text))
    env.take_action(Action("submit", "shares"))
    scores = env.judge()
    assert scores is not None
    assert scores["exact"].value == paid
