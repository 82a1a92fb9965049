"""The published recordings, executed anew: whole by `make conformance`, a sample of them in `make test`."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.audit.replay.comparison import Agreement, agreement
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions

pytestmark = pytest.mark.conformance

SAMPLE = ("*/fs?/*3", "*/fs?/*8")
"""The tasks of the sample: every fifth."""


@pytest.fixture(scope="module")
def whole(request: pytest.FixtureRequest) -> bool:
    """Whether all episodes are asked for."""
    return bool(request.config.getoption("--conformance") == "whole")


@pytest.fixture(scope="module")
def found(published_data: Path, whole: bool) -> tuple[Agreement, Agreement]:
    """How far all episodes agree, and those on stable tasks."""
    files = sorted((published_data / "recorded" / "bash").glob("*.json.gz"))
    assert files, "there are no recordings"
    comparisons = replay(files, ReplayOptions(scoring="paper", tasks=() if whole else SAMPLE), parallel=2)
    episodes = [episode for comparison in comparisons for episode in comparison.episodes]
    stable = [each for comparison in comparisons for each in comparison.episodes if each.task in comparison.stable]
    assert not [episode.error for episode in episodes if episode.error]
    return agreement(episodes), agreement(stable)


def test_rewards_agree_with_the_recorded_ones(found: tuple[Agreement, Agreement]) -> None:
    """Seen: 92.7 % of all."""
    rewards = found[0].rewards
    assert rewards.agreeing / rewards.of >= 0.91


def test_rewards_agree_on_tasks_that_depend_on_nothing_else(found: tuple[Agreement, Agreement]) -> None:
    """Seen: 99.3 % of all."""
    rewards = found[1].rewards
    assert rewards.agreeing / rewards.of >= 0.985


def test_observations_agree_line_by_line(found: tuple[Agreement, Agreement]) -> None:
    """Seen: 85.8 % of all."""
    observations = found[0].observations
    assert observations.agreeing / observations.of >= 0.85
