"""Capture the flag from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from terminal import intercode

from intercode.types import trajectories
from intercode.types.trajectories import EPISODES

TASK, SERVED = "starter-ctf/badges", "starter-ctf/leaflets"


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run by the oracle, in the world's own data set; its one action is the flag of that episode's seed."""
    run = tmp_path_factory.mktemp("ctf") / "oracle"
    done = intercode("run", "--world", "ctf", "--tasks", TASK, "--out", run)
    assert done.returncode == 0, done.stderr
    return run


@pytest.fixture
def script(oracle: Path, tmp_path: Path) -> Path:
    """Two wrong flags, and the right one."""
    ((episode,), _) = trajectories.read(oracle / EPISODES)
    moves = ["submit intercode{no}", "submit intercode{nor_this}", f"submit {episode.turns[0].action.text}"]
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"moves": {TASK: moves}}))
    return path


def played(script: Path, out: Path, *options: str) -> Path:
    agent = ("--agent", "scripted", "--agent-option", f"script={script}")
    done = intercode("run", "--dataset", "starter-ctf", "--tasks", TASK, *agent, *options, "--out", out)
    assert done.returncode == 0, done.stderr
    return out


def test_several_flags_may_be_handed_in_and_each_is_stored(script: Path, tmp_path: Path) -> None:
    run = played(script, tmp_path / "run", "--attempts", "3")
    ((episode,), _) = trajectories.read(run / EPISODES)
    assert episode.status == "submitted"
    assert [turn.reward for turn in episode.turns] == [0.0, 0.0, 1.0]
    assert all(turn.scores for turn in episode.turns)
    assert "Keep trying: 2 more may be submitted." in intercode("show", run, TASK).stdout
    replayed = intercode("replay", run, "--verify")
    assert replayed.returncode == 0, replayed.stdout
    resumed = intercode("run", "--resume", "--out", run, "--attempts", "2")
    assert resumed.returncode == 2
    assert "attempts is 3, not 2" in resumed.stderr


def test_unless_told_the_first_flag_ends_the_episode(script: Path, tmp_path: Path) -> None:
    ((episode,), _) = trajectories.read(played(script, tmp_path / "run") / EPISODES)
    assert [turn.reward for turn in episode.turns] == [0.0]


def test_attempts_are_refused_where_the_first_answer_ends_an_episode(tmp_path: Path) -> None:
    done = intercode("run", "--dataset", "starter", "--attempts", "2", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "in the world bash the first answer ends an episode" in done.stderr
    assert not (tmp_path / "run").exists()


def test_published_tasks_that_do_not_count_are_told_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ctf").mkdir()
    tasks = [{"task_id": number, "query": "Find it.", "gold": "toy{x}"} for number in (9, 16, 17)]
    (tmp_path / "ctf" / "ic_ctf.json").write_text(json.dumps(tasks))
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path))
    listed = intercode("tasks", "ctf").stdout
    assert "played but not scored, its service is gone, and there is no network: ctf/9, ctf/16\n" in listed
    found = json.loads(intercode("tasks", "ctf", "--json", "--gold").stdout)
    assert [(task["excluded"], task["gold"]) for task in found] == [
        ("its service is gone, and there is no network", None),
        ("its service is gone, and there is no network", None),
        ("", "toy{x}"),
    ]


def test_a_service_is_met_at_the_door_of_a_sandbox_without_a_network_of_its_own(tmp_path: Path) -> None:
    """Before the run begins where the first task has one; later on it is that episode's error."""
    local = ("--sandbox", "local", "--i-know-this-is-unsafe", "--out", tmp_path / "run")
    done = intercode("run", "--world", "ctf", *local, "--tasks", SERVED)
    assert done.returncode == 1
    assert "services need the embedded or the docker sandbox" in done.stderr
    assert not (tmp_path / "run").exists()
    done = intercode("run", "--world", "ctf", *local, "--tasks", f"{TASK},{SERVED}")
    assert done.returncode == 1
    (episodes, _) = trajectories.read(tmp_path / "run" / EPISODES)
    assert {episode.task.id: episode.status for episode in episodes} == {TASK: "submitted", SERVED: "error"}
