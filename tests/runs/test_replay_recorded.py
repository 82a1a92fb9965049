"""The published recordings: three shapes of file, read into one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recordings import log, plan_solve, react, try_again, write

from intercode.errors import BadDataError, UserError
from intercode.runs.replay.published import file_systems, stable_tasks
from intercode.runs.replay.published.recordings import RecordedTurn, read


def test_try_again_runs_and_judges_every_turn(tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.json", try_again(7, [("ls", "x\n", 0.67), ("pwd", "/\n", 1.0)], file_system=3)))
    (episode,) = found.episodes
    assert (found.harness, episode.task, episode.success) == ("try again", "nl2bash/fs3/7", True)
    assert episode.turns[0] == RecordedTurn("ls", "run", "ls", "x\n", 0.67, judged=True)


def test_react_is_unpacked_greedily_and_judged_only_where_it_submits(tmp_path: Path) -> None:
    turns = [
        ("execute[a[0]\n=1]\nObs", "", 0),
        ("ls", "Error: action did not contain bash code", 0),
        ("submit", "", 1.0),
    ]
    (episode,) = read(write(tmp_path / "a.json.gz", react(0, turns))).episodes
    assert [(turn.kind, turn.code, turn.judged) for turn in episode.turns] == [
        ("run", "a[0]\n=1", False),
        ("nothing", "", False),
        ("submit", "submit", True),
    ]
    assert episode.success


def test_react_succeeds_by_its_last_reward_alone(tmp_path: Path) -> None:
    turns = [("execute[submit]", "", 1.0), ("submit", "", 0.67)]
    assert not read(write(tmp_path / "a.json", react(0, turns))).episodes[0].success


def test_plan_and_solve_has_its_logs_below_meta(tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.json", plan_solve(1, [("ls", "", 1.0), ("rm x", "", 0.34)]), meta=True))
    assert found.harness == "plan & solve"
    assert found.episodes[0].success


def test_a_turn_without_code_ran_nothing(tmp_path: Path) -> None:
    said = "No Bash code was found in your last response."
    (episode,) = read(write(tmp_path / "a.json", try_again(0, [("Sorry!", said, 0)]))).episodes
    assert episode.turns == (RecordedTurn("Sorry!", "nothing", observation=said, reward=0),)


def test_a_blocked_model_leaves_an_action_without_observation(tmp_path: Path) -> None:
    blocked = try_again(0, [("ls", "x\n", 0.67), ("blocked", "", 0)])
    del blocked["turn_history"]["observations"][-1]
    (episode,) = read(write(tmp_path / "a.json", blocked)).episodes
    assert episode.turns[-1] == RecordedTurn("blocked", "nothing", reward=0)


@pytest.mark.parametrize(
    ("action", "kind"), [("skip", "skip"), ("submit it", "submit"), ("skip it", "run"), ("", "run")]
)
def test_words_are_read_as_the_published_environment_reads_them(tmp_path: Path, action: str, kind: str) -> None:
    (episode,) = read(write(tmp_path / "a.json", try_again(0, [(action, "", 0.67)]))).episodes
    assert episode.turns[0].kind == kind


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"0": 3}', '{"0": {"turn_history": {}}}', "\x1f\x8b"])
def test_what_is_no_recording_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text, encoding="latin-1")
    with pytest.raises(BadDataError, match=r"a\.json"):
        read(tmp_path / "a.json")


def test_lists_that_do_not_fit_each_other_are_refused(tmp_path: Path) -> None:
    odd = try_again(0, [("ls", "", 0.67), ("pwd", "", 1.0)])
    del odd["turn_history"]["rewards"][0]
    with pytest.raises(BadDataError, match="2 actions, 2 observations, 1 rewards"):
        read(write(tmp_path / "a.json", odd))


def test_recordings_of_other_worlds_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a\.json: a recording of the swe world"):
        read(write(tmp_path / "a.json", log(0, [("ls", "", 0)]) | {"environment": "ic_swe"}))


def test_an_unknown_data_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match=r"unknown data set, ./x\.json"):
        read(write(tmp_path / "a.json", log(0, [("ls", "", 0)]) | {"dataset": "./x.json"}))


def test_those_that_ran_on_the_wrong_file_system_are_known(tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.json", *(plan_solve(number, [("ls", "", 0)], 2) for number in (30, 31))))
    assert [file_systems.file_system_of(found, episode) for episode in found.episodes] == [1, 2]
    assert file_systems.note(found) == "tasks 30 to 30 on file system 1, as it was recorded"
    assert [file_systems.file_system_of(found, episode, 4) for episode in found.episodes] == [4, 4]
    assert file_systems.note(found, 4) == "tasks 30 to 31 on file system 4, asked for"
    plain = read(write(tmp_path / "b.json", try_again(0, [("ls", "", 0)], 2)))
    assert file_systems.note(plain) == ""


def test_stable_tasks_are_read_from_beside_the_recordings(tmp_path: Path) -> None:
    (tmp_path / "bash").mkdir()
    (tmp_path / "bash_stable_tasks.json").write_text(json.dumps({"tasks": {"fs_1": [0, 2], "fs_4": [7]}}))
    assert stable_tasks.beside(tmp_path / "bash" / "a.json") == {"nl2bash/fs1/0", "nl2bash/fs1/2", "nl2bash/fs4/7"}
    assert stable_tasks.beside(tmp_path / "a.json") == frozenset()
    with pytest.raises(BadDataError, match="not a list of stable tasks"):
        stable_tasks.read(tmp_path / "bash")
