"""Recorded Python: read, and played again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from recordings import try_again, write

from intercode.audit.replay.comparison import agreement
from intercode.audit.replay.published.mbpp import format_feedback
from intercode.audit.replay.published.recordings import read
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions
from intercode.types import Scoring
from intercode.worlds.python.unit_tests import PublishedRun

DATA = Path(os.environ.get("INTERCODE_DATA") or Path(__file__).parents[3] / "shared" / "data")
FILES = sorted((DATA / "recorded" / "python").glob("*.json.gz"))

published = pytest.mark.skipif(not FILES, reason="needs the published recordings of the Python world (INTERCODE_DATA)")

SQUARE = "def square(n):\n    return n * n"


def of_python(*turns: tuple[str, str, float]) -> dict[str, object]:
    return try_again(0, turns) | {"environment": "ic_python", "dataset": "./data/python/mbpp/ic_mbpp.json"}


def test_only_functions_are_judged(tmp_path: Path) -> None:
    turns = [("x = 1", "{'output': '', 'error': ''}", 0.0), (SQUARE, "Failed 1/3 Test Cases. Please try again.", 0.5)]
    recording = read(write(tmp_path / "a.json", of_python(*turns)))
    (episode,) = recording.episodes
    assert (recording.world, episode.task) == ("python", "mbpp/0")
    assert [(turn.kind, turn.judged) for turn in episode.turns] == [("run", False), ("run", True)]


def test_the_harness_told_failures_in_three_ways() -> None:
    run = PublishedRun(("a", "x", "y"), ("a", "b", "c"))
    tests = ("assert 1", "assert 2", "assert 3")
    for recorded, said in (
        ("Test case did not pass. Please try again.", "Test case did not pass. Please try again."),
        ("Failed 1/3 Test Cases. Please try again.", "Failed 2/3 Test Cases. Please try again."),
        ("Failed Test Case: assert 3\nPlease try again.", "Failed Test Case: assert 3\nPlease try again."),
        ("Failed Test Case: assert 1\nPlease try again.", "Failed Test Case: assert 2\nPlease try again."),
        ("{'output': '', 'error': ''}", "Test case did not pass. Please try again."),
    ):
        assert format_feedback(run, tests, "seen", recorded) == said
    assert format_feedback(PublishedRun(("a",), ("a",)), tests[:1], "seen", "whatever") == "seen"


@published
@pytest.mark.usefixtures("published_data")
def test_the_published_recording_agrees() -> None:
    """A part of it; all 430 turns do, rewards and observations (see docs/conformance.md)."""
    compared = replay(FILES, ReplayOptions(image="host", tasks=("mbpp/?", "mbpp/*[05]")), parallel=2)
    found = agreement(episode for each in compared for episode in each.episodes)
    assert found.turns > 80
    assert (found.rewards.agreeing, found.observations.agreeing) == (found.rewards.of, found.observations.of)
    assert not found.errors


@published
@pytest.mark.usefixtures("published_data")
@pytest.mark.parametrize("scoring", ["exact"])
def test_the_other_scoring_can_be_asked_for(scoring: Scoring) -> None:
    (compared,) = replay(FILES, ReplayOptions(scoring=scoring, image="host", limit=3))
    assert len(compared.episodes) == 3
    assert not compared.agreement.errors
