"""The replay agent: stored actions again, from a run's directory or a file of episodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from intercode.agents.replay import ReplayAgent
from intercode.errors import BadDataError, UserError
from intercode.types import Action, Observation, TaskView, Trajectory, Turn
from intercode.types.trajectories import dumps

TASK = TaskView("toy/1", "Say hi.", "bash")
EPISODE = Trajectory(
    TASK,
    "someone",
    "submitted",
    (Turn(Action("execute", "ls"), Observation(""), thought="look first"), Turn(Action("submit"), Observation(""))),
)


def stored(folder: Path, *episodes: Trajectory, tail: str = "") -> str:
    path = folder / "episodes.jsonl"
    path.write_text("".join(dumps(episode) + "\n" for episode in episodes) + tail)
    return str(folder)


def test_it_plays_the_stored_actions_with_their_thoughts(tmp_path: Path) -> None:
    agent = ReplayAgent(file=stored(tmp_path, EPISODE))
    agent.reset(TASK, seed=0)
    assert agent.act(Observation(""), 0.0) == Action("execute", "ls")
    assert agent.thought == "look first"
    assert agent.act(Observation(""), 0.0) == Action("submit")


def test_a_file_of_episodes_will_do_too(tmp_path: Path) -> None:
    ReplayAgent(file=stored(tmp_path, EPISODE) + "/episodes.jsonl").check([TASK])


def test_a_repaired_episode_replaces_the_broken_one(tmp_path: Path) -> None:
    broken = replace(EPISODE, status="error", turns=())
    agent = ReplayAgent(file=stored(tmp_path, broken, EPISODE))
    agent.reset(TASK, seed=0)
    assert agent.act(Observation(""), 0.0) == Action("execute", "ls")


def test_repeat_picks_one_of_several(tmp_path: Path) -> None:
    second = replace(EPISODE, repeat=1, turns=(Turn(Action("skip"), Observation("")),))
    agent = ReplayAgent(file=stored(tmp_path, EPISODE, second), repeat="1")
    agent.reset(TASK, seed=0)
    assert agent.act(Observation(""), 0.0) == Action("skip")


def test_a_line_torn_by_a_kill_is_passed_over(tmp_path: Path) -> None:
    ReplayAgent(file=stored(tmp_path, EPISODE, tail='{"task":')).check([TASK])


def test_a_spoilt_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match=r"episodes\.jsonl, line 2: not JSON"):
        ReplayAgent(file=stored(tmp_path, EPISODE, tail='{"task"}\n' + dumps(EPISODE) + "\n"))


def test_a_task_without_episode_is_refused_at_the_door(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no episode of toy/2"):
        ReplayAgent(file=stored(tmp_path, EPISODE)).check([TaskView("toy/2", "?", "bash")])


@pytest.mark.parametrize(("options", "says"), [({}, "file=RUN"), ({"file": "x", "repeat": "one"}, "'one'")])
def test_options_that_will_not_do_are_named(options: dict[str, str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        ReplayAgent(**options)


def test_a_run_that_is_not_there_is_named() -> None:
    with pytest.raises(BadDataError, match="/nowhere"):
        ReplayAgent(file="/nowhere")
