"""The spreads of a run's turns, rewards and seconds: steps that all runs share."""

from __future__ import annotations

import pytest
from made_runs import episode

from intercode.view.spreads import spreads


def test_rewards_are_counted_by_tenths_and_a_one_alone() -> None:
    made = [episode(exact=value) for value in (0.0, 0.05, 0.3, 0.39, 0.99, 1.0, 1.0)]
    assert spreads(made, "exact")["reward"] == {"0": 2, "0.3": 2, "0.9": 1, "1": 2}


@pytest.mark.parametrize(
    ("seconds", "step"),
    [(0.04, "0.02"), (0.9, "0.5"), (1.0, "1"), (1.99, "1"), (4.9, "2"), (5.0, "5"), (1234.0, "1000")],
)
def test_seconds_go_in_steps_of_one_two_and_five(seconds: float, step: str) -> None:
    assert spreads([episode(seconds=seconds)], "exact")["seconds"] == {step: 1}


def test_for_each_number_of_turns_there_are_successes_and_episodes() -> None:
    made = [episode(exact=value) for value in (0.0, 1.0, 1.0)]
    assert spreads(made, "exact")["turns"] == {"2": [2, 3]}


def test_what_is_not_counted_is_only_in_the_seconds() -> None:
    assert spreads([episode(status="error", error="SandboxError: gone")], "exact") == {
        "turns": {},
        "reward": {},
        "seconds": {"2": 1},
    }
