"""The published recordings: three shapes of file, read into one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from recordings import log, plan_solve, react, try_again, write

from intercode.audit.replay.published import file_systems, stable_tasks
from intercode.audit.replay.published.recorded_turns import RecordedTurn
from intercode.audit.replay.published.recordings import read
from intercode.errors import BadDataError, UserError


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


GONE = ("ls /system", "ls: cannot access '/system': No such file or directory\n", 0)
OTHER = ("ls -d /*", "/bin\n/testbed\n", 0)
OWN = ("find /system", "/system\n/system/folder1\n", 0)


@pytest.mark.parametrize("made_by", [try_again, react, plan_solve])
def test_episodes_ran_on_the_file_system_that_they_saw(tmp_path: Path, made_by: Callable[..., dict[str, Any]]) -> None:
    """Whoever recorded them. Single episodes that tell nothing, or miss one file, follow the others."""
    silent, lost = ("pwd", "/\n", 0), ("cat /system/x", "cat: /system/x: No such file or directory\n", 0)
    turns = [[silent], *[[GONE]] * 12, [GONE, OTHER], [silent], [GONE], *[[OWN]] * 9, [lost], [lost], [OWN], [silent]]
    found = read(write(tmp_path / "a.json", *(made_by(number, each, 2) for number, each in enumerate(turns))))
    ran_on = file_systems.file_systems(found)
    assert ran_on == [1] * 16 + [2] * 13
    assert file_systems.note(found, ran_on) == "tasks 0 to 15 on file system 1, as it was recorded"


def test_a_few_files_that_are_missing_move_no_episode(tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.json", *(plan_solve(number, [GONE], 2) for number in (30, 31))))
    ran_on = file_systems.file_systems(found)
    assert (ran_on, file_systems.note(found, ran_on)) == ([2, 2], "")


def test_a_file_system_that_is_asked_for_overrules_the_recording(tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.json", *(plan_solve(number, [("ls", "", 0)], 2) for number in (30, 31))))
    ran_on = file_systems.file_systems(found, 4)
    assert (ran_on, file_systems.note(found, ran_on, 4)) == ([4, 4], "tasks 30 to 31 on file system 4, asked for")


NO_CODE = (
    "No SQL code was found in your last response.\n\nYour response should be a SQL command.",
    "Error executing query: Your last `execute` action did not contain SQL code",
    "Your response should be a SQL command. Format your SQL command as follows:\n\n```SQL\nYour SQL code here\n```\n",
    "Please answer in code. Format your bash command as follows:\n\n```bash\n```\n",
)


@pytest.mark.parametrize("said", NO_CODE)
@pytest.mark.parametrize("world", ["ic_bash", "ic_sql", "ic_ctf"])
def test_whatever_a_harness_says_where_it_finds_no_code_it_ran_nothing(tmp_path: Path, said: str, world: str) -> None:
    names = {
        "ic_bash": "./data/nl2bash/nl2bash_fs_1.json",
        "ic_sql": "./data/spider/dev.json",
        "ic_ctf": "./data/ctf/x",
    }
    episode = try_again(0, [("Sorry!", said, 0)]) | {"environment": world, "dataset": names[world]}
    (turn,) = read(write(tmp_path / "a.json", episode)).episodes[0].turns
    assert (turn.kind, turn.code, turn.judged) == ("nothing", "", False)


def by_hand(world: str, query: str, *turns: tuple[str, str], **more: Any) -> dict[str, Any]:
    """An episode as the published environment logs it by itself: no `turn_history`, no data set."""
    steps = [{"action": action, "observation": observation} for action, observation in turns]
    return {"environment": world, "query_idx": 7, "query": query, "trajectory": steps, "info": {}} | more


def test_what_people_typed_is_read_and_judged_where_they_handed_in(tmp_path: Path) -> None:
    log = by_hand("ic_bash", "Say it.", ("ls", "x\n"), ("pwd", "/\n"), reward=0.67)
    (tmp_path / "a.json").write_text(json.dumps(log | {"dataset": "./data/nl2bash/nl2bash_fs_3.json", "task_id": 7}))
    found = read(tmp_path / "a.json")
    assert (found.harness, found.episodes[0].task, found.episodes[0].success) == ("by hand", "nl2bash/fs3/7", False)
    assert found.episodes[0].turns == (
        RecordedTurn("ls", "run", "ls", "x\n"),
        RecordedTurn("pwd", "run", "pwd", "/\n"),
        RecordedTurn("submit", "submit", "submit", "/\n", 0.67, judged=True),
    )


HANDED_IN = {"action": "submit", "observation": "x", "reward": 1}


@pytest.mark.parametrize(
    "shape",
    [
        {"actions": ["ls", "submit"], "observations": ["x", "x"], "rewards": [0, 1.0]},
        {"turns": [["ls", "x", 0], ["submit", "x", 1.0]]},
        {"trajectory": [["ls", "x"]], "reward": 1},
        {"history": [{"action": "ls", "observation": "x", "reward": 0}, HANDED_IN]},
    ],
)
def test_other_shapes_of_a_history_are_read_alike(tmp_path: Path, shape: dict[str, Any]) -> None:
    log = {"environment": "ic_bash", "dataset": "nl2bash_fs_1", "task_id": 3, "query": "Say it."} | shape
    for held in (log, [log], {"0": log}, {"logs": {"0": log}}):
        (tmp_path / "a.json").write_text(json.dumps(held))
        (episode,) = read(tmp_path / "a.json").episodes
        assert [(turn.kind, turn.reward, turn.judged) for turn in episode.turns] == [
            ("run", 0, False),
            ("submit", 1, True),
        ]
        assert episode.success


def test_an_episode_that_names_no_data_set_is_found_by_what_it_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ctf").mkdir()
    tasks = [{"task_id": number, "query": "Read.", "gold": "toy{Read}"} for number in (3, 7, 9)]
    (tmp_path / "ctf" / "ic_ctf.json").write_text(json.dumps(tasks))
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path))
    (tmp_path / "a.json").write_text(json.dumps(by_hand("ic_ctf", "Read.", ("submit toy{Read}", "?"), reward=1)))
    (episode,) = read(tmp_path / "a.json").episodes
    assert (episode.task, episode.turns[0].reward, episode.turns[0].judged) == ("ctf/7", 1, True)
    (tmp_path / "b.json").write_text(json.dumps(by_hand("ic_ctf", "Write.")))
    with pytest.raises(BadDataError, match=r"b\.json: an episode names no data set, and no task of ctf asks 'Write\.'"):
        read(tmp_path / "b.json")


def test_the_function_that_was_written_last_is_what_was_handed_in(tmp_path: Path) -> None:
    log = by_hand("ic_python", "?", ("def f(x):\n  return 1", "{}"), ("f(1)", "1"), reward=0.5)
    (tmp_path / "a.json").write_text(json.dumps(log | {"dataset": "mbpp", "task_id": 2}))
    (episode,) = read(tmp_path / "a.json").episodes
    assert [turn.judged for turn in episode.turns] == [False, False, True]
    assert (episode.turns[-1].kind, episode.turns[-1].code, episode.turns[-1].reward) == ("submit", "f", 0.5)


def test_episodes_without_any_history_are_left_out_and_told(tmp_path: Path) -> None:
    bare = {"environment": "ic_bash", "dataset": "nl2bash_fs_1", "task_id": 3, "query": "Say it.", "summary": {}}
    found = read(write(tmp_path / "a.json", bare, try_again(1, [("ls", "", 1.0)])))
    assert ([each.number for each in found.episodes], found.without_turns) == ([1], 1)
    assert found.note == "1 episode without a history of turns left out"
    with pytest.raises(BadDataError, match=r"b\.json: it holds no episodes with a history of turns"):
        read(write(tmp_path / "b.json", bare))


def test_stable_tasks_are_read_from_beside_the_recordings(tmp_path: Path) -> None:
    (tmp_path / "bash").mkdir()
    (tmp_path / "bash_stable_tasks.json").write_text(json.dumps({"tasks": {"fs_1": [0, 2], "fs_4": [7]}}))
    assert stable_tasks.beside(tmp_path / "bash" / "a.json") == {"nl2bash/fs1/0", "nl2bash/fs1/2", "nl2bash/fs4/7"}
    assert stable_tasks.beside(tmp_path / "a.json") == frozenset()
    with pytest.raises(BadDataError, match="not a list of stable tasks"):
        stable_tasks.read(tmp_path / "bash")
