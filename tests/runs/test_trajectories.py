"""Trajectories as JSON: whatever a trajectory holds comes back exactly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode import trajectories
from intercode.errors import BadData
from intercode.types import Action, Observation, Score, TaskView, Trajectory, Turn

text = st.text(st.characters())
numbers = st.floats(allow_nan=False)
scores = st.none() | st.fixed_dictionaries(
    {
        "paper": st.builds(Score, numbers, st.booleans(), st.dictionaries(text, numbers), st.tuples(text)),
        "exact": st.builds(Score, numbers, st.booleans(), st.dictionaries(text, numbers), st.just(())),
    }
)
turns = st.builds(
    Turn,
    st.builds(Action, st.sampled_from(["execute", "submit", "skip"]), text),
    st.builds(Observation, text, st.none() | st.integers(), st.booleans(), st.booleans(), numbers),
    numbers,
    scores,
    text,
    numbers,
    text,
    st.dictionaries(text, st.integers() | text),
)
episodes = st.builds(
    Trajectory,
    st.builds(TaskView, text, text, text, text, text),
    text,
    st.sampled_from(["submitted", "truncated", "skipped", "error"]),
    st.lists(turns, max_size=3).map(tuple),
    scores,
    st.none() | st.integers(),
    st.integers(),
    text,
    numbers,
    numbers,
    text,
    st.dictionaries(text, numbers),
)


@given(episodes)
def test_an_episode_comes_back_exactly_from_one_line(episode: Trajectory) -> None:
    line = trajectories.dumps(episode)
    assert "\n" not in line
    assert "\r" not in line
    assert trajectories.loads(line) == episode


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[]", "a JSON list"),
        ("{}", "'task' is missing"),
        ('{"task": {"id": "x"}}', "query"),
        ('{"task": 3}', "not an episode"),
    ],
)
def test_what_is_no_episode_is_refused_with_the_reason(line: str, says: str) -> None:
    with pytest.raises(BadData, match=says):
        trajectories.loads(line)


def test_a_field_of_another_version_is_named() -> None:
    episode = Trajectory(TaskView("a/1", "?", "bash"), "x", "submitted", ())
    line = trajectories.dumps(episode).replace('"agent"', '"who"')
    with pytest.raises(BadData, match="who"):
        trajectories.loads(line)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"nothing\.jsonl: No such file"):
        trajectories.read(tmp_path / "nothing.jsonl")
