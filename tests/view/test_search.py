"""A text is found wherever it stands in a run's file, and only once for each episode."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_runs import episode, turn, write

from intercode.runs.episode_record import key_of
from intercode.types import Trajectory
from intercode.view import index as indices
from intercode.view.index import RunIndex
from intercode.view.search import search

EPISODES = [
    episode(
        f"toy/{number}",
        turn("echo " + "x" * number, f"word{number} word{number} {'é' * (number % 3)}"),
        repeat=number % 2,
    )
    for number in range(40)
]


@pytest.fixture(params=[16, 61, 1 << 18])
def index(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunIndex:
    """A run, whose file is read in blocks of so many bytes."""
    monkeypatch.setattr(indices, "BLOCK", request.param)
    made = RunIndex.of(write(tmp_path / "run", EPISODES))
    made.refresh()
    return made


@pytest.mark.parametrize(
    "text", ["word7", "WORD39 word39", "x", "xxxxxxxxxxxxxxxxxxxxxxxxx", "count the", "é", "nowhere"]
)
def test_a_search_finds_what_reading_every_episode_finds(index: RunIndex, text: str) -> None:
    assert search(index, text) == [key_of(each) for each in EPISODES if _holds(each, text)]


def _holds(each: Trajectory, text: str) -> bool:
    parts = [each.task.query, *(part for turn in each.turns for part in (turn.action.text, turn.observation.text))]
    return any(text.lower() in part.lower() for part in [*parts, *(turn.thought for turn in each.turns)])


def test_an_episode_that_was_played_again_is_searched_as_it_is_now(tmp_path: Path) -> None:
    made = RunIndex.of(write(tmp_path / "run", [episode("toy/a", turn("old")), episode("toy/b"), episode("toy/a")]))
    made.refresh()
    assert search(made, "old") == []
    assert [task for task, _ in search(made, "count")] == ["toy/b", "toy/a"]
