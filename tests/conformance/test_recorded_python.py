"""The published recording of the Python world, executed anew: whole by `make conformance`."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.audit.replay.comparison import agreement
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions

pytestmark = pytest.mark.conformance


def test_rewards_and_observations_agree(published_data: Path, request: pytest.FixtureRequest) -> None:
    """Seen: all 430 turns."""
    if request.config.getoption("--conformance") != "whole":
        pytest.skip("a part of it is replayed in tests/runs/test_replay_python.py")
    files = sorted((published_data / "recorded" / "python").glob("*.json.gz"))
    assert files, "there are no recordings"
    compared = replay(files, ReplayOptions(scoring="paper"), parallel=2)
    found = agreement(episode for each in compared for episode in each.episodes)
    assert not found.errors
    assert found.rewards.agreeing / found.rewards.of >= 0.99
    assert found.observations.agreeing / found.observations.of >= 0.99
