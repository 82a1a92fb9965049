"""The paper's table, from a few of the recorded episodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intercode.audit.replay.comparison import ComparedEpisode, ComparedTurn, Comparison, Pair
from intercode.audit.replay.source import ReplayOptions
from intercode.errors import UserError
from intercode.report.paper import EPISODES, PUBLISHED, Tally, _add, _key, paper_table, recordings


def test_the_published_figures_are_those_of_the_paper(published_data: Path) -> None:
    found = json.loads((published_data / "paper_results.json").read_text())
    for (world, model, strategy), rate in PUBLISHED.items():
        name = strategy.replace(" & ", "_").replace(" ", "_")
        assert found[model][world][name] == pytest.approx(rate * 100), (world, model, strategy)
        assert found[model][world]["episodes"] == EPISODES[world]


def compared(name: str, kind: str, *episodes: tuple[float, ...]) -> Comparison:
    """A file whose turns had these rewards, then and now."""
    made = []
    for number, rewards in enumerate(episodes):
        turns = tuple(ComparedTurn(at, "x", rewards={"paper": Pair(each, each)}) for at, each in enumerate(rewards, 1))
        made.append(ComparedEpisode(f"t/{number}", 0, turns, Pair(1.0 in rewards, 1.0 in rewards)))
    return Comparison(Path(name), kind, tuple(made))


def test_files_are_told_by_world_model_and_strategy() -> None:
    turns = (0.5, 1.0)
    assert _key(compared("ic_bash_multiturn_gpt-4_10_turns_fs_1.json.gz", "try again", turns)) == (
        "bash",
        "gpt-4",
        "try again",
    )
    assert _key(compared("ic_sql_multiturn_gpt-3.5-1_turns.json.gz", "try again", (1.0,))) == (
        "sql",
        "gpt-3.5",
        "single turn",
    )
    assert _key(compared("ic_bash_plan_solve_fs_1.json.gz", "plan & solve", turns)) == (
        "bash",
        "gpt-3.5",
        "plan & solve",
    )


def test_recordings_of_other_worlds_are_not_taken_for_bash() -> None:
    keys = [
        _key(compared(f"ic_{name}.json.gz", "try again", (0.5, 1.0))) for name in ("ctf_gpt-4_25_turns", "python_x")
    ]
    assert keys == [("ctf", "gpt-4", "try again"), ("python", "gpt-3.5", "try again")]


def test_folders_are_searched_for_recordings_and_other_files_are_left_out(tmp_path: Path) -> None:
    for name in ("bash/ic_bash_a.json.gz", "bash/notes.txt", "sql/ic_sql_b.json", "list.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found, others = recordings([tmp_path / "bash", tmp_path / "sql", tmp_path / "list.json", tmp_path])
    assert [file.name for file in found] == ["ic_bash_a.json.gz", "ic_sql_b.json"]
    assert sorted(file.name for file in others) == ["list.json", "notes.txt"]
    with pytest.raises(UserError, match="no recordings in"):
        recordings([tmp_path / "list.json"])


def test_a_single_turn_is_the_first_of_those_who_may_try_again() -> None:
    lines: dict[tuple[str, str, str], Tally] = {}
    key = ("bash", "gpt-3.5", "single turn")
    file = compared("ic_bash_multiturn_gpt-3.5_10_turns_fs_1.json", "try again", (1.0,), (0.5, 1.0), ())
    _add(lines, key, file, ReplayOptions(), first_turn=True)
    assert lines[key].now["paper"] == [True, False, False]


def test_what_the_machine_broke_counts_nowhere() -> None:
    lines: dict[tuple[str, str, str], Tally] = {}
    key = ("bash", "gpt-3.5", "try again")
    broken = ComparedEpisode("t/0", 0, (), Pair(True, False), "SandboxError: gone")
    _add(lines, key, Comparison(Path("x_bash_"), "try again", (broken,)), ReplayOptions(), first_turn=False)
    assert (lines[key].errors, lines[key].recorded) == (1, [])


def test_recordings_become_the_table_under_both_scorings(published_data: Path) -> None:
    folder = published_data / "recorded" / "bash"
    files = [folder / f"ic_bash_{name}_fs_1.json.gz" for name in ("multiturn_gpt-3.5_10_turns", "react_10_turns")]
    table = paper_table(files, limit=2)
    lines = {line["strategy"]: line for line in table.to_json()}
    assert [*lines] == ["single turn", "try again", "react"]
    assert {line["episodes"] for line in lines.values()} == {2}
    assert all(line["errors"] == 0 for line in lines.values())
    assert all(0 <= line[scoring] <= 1 for line in lines.values() for scoring in ("recorded", "paper", "exact"))
    for line in lines.values():
        for scoring in ("paper", "exact"):
            low, high = line["intervals"][scoring]
            assert 0 <= low <= line[scoring] <= high <= 1
    assert lines["try again"]["published"] == 0.465
    assert "2 of 200" in {cell for row in table.table().rows for cell in row}


def test_the_same_episodes_on_verified_sets_stand_beside_them(published_data: Path) -> None:
    file = published_data / "recorded" / "bash" / "ic_bash_react_10_turns_fs_1.json.gz"
    table = paper_table([file], limit=2, verified=True)
    (line,) = table.to_json()
    assert line["verified"]["episodes"] == 2
    assert 0 <= line["verified"]["exact"] <= 1
    assert [column.name for column in table.table().columns][-3:] == [
        "verified episodes",
        "exact, verified",
        "95 %, verified",
    ]
