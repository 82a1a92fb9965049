"""The software engineering world from the command line."""

from __future__ import annotations

import json
from pathlib import Path

from terminal import intercode

FEW = ("--tasks", "lost-cents,touching-bookings,quoted-fields")
RECORD = {
    "instance_id": "demo__calc-1",
    "repo": "demo/calc",
    "base_commit": "0" * 40,
    "patch": "x",
    "test_patch": "",
    "problem_statement": "x",
    "FAIL_TO_PASS": ["a"],
}
SCRIPT = ("--agent", "scripted", "--agent-option", "script=starter_swe")


def test_fixes_are_played_shown_and_replayed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = intercode("run", "--world", "swe", *FEW, *SCRIPT, "--shell", "persistent", "--out", run)
    assert done.returncode == 0, done.stderr
    assert "starter-swe with scripted" in done.stdout
    assert "66.7%" in done.stdout
    shown = intercode("show", run, "touching-bookings").stdout
    assert "git commit -qam" in shown
    assert "fail_to_pass 1.00" in shown
    replayed = intercode("replay", run, "--verify")
    assert replayed.returncode == 0, replayed.stdout


def test_tasks_are_listed_by_their_titles_and_whole_as_json() -> None:
    listed = intercode("tasks", "starter-swe").stdout
    assert "Cents get lost" in listed
    assert "…" in listed
    assert "ledger.spend" not in listed
    whole = json.loads(intercode("tasks", "starter-swe", "--json").stdout)
    assert len(whole) == 8
    assert all("\n" in task["query"] for task in whole)


def test_how_to_play_one_is_said_with_the_options_of_its_data_set(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text(json.dumps(RECORD))
    option = f"file={tmp_path}/tasks.jsonl"
    listed = intercode("tasks", "swebench", "--dataset-option", option).stdout
    assert f"intercode play swebench/demo__calc-1 --dataset swebench --dataset-option {option}\n" in listed


def test_a_missing_file_of_swe_bench_is_said_with_the_way_out() -> None:
    done = intercode("run", "--dataset", "swebench", "--dataset-option", "file=nothing.jsonl")
    assert done.returncode == 2
    assert "nothing.jsonl: there is no such file" in done.stderr
    assert intercode("tasks", "swebench", "--dataset-option", "fiel=x").returncode == 2


def test_a_repository_that_cannot_be_had_is_said_before_anything_is_stored(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text(json.dumps(RECORD))
    options = [f"--dataset-option=file={tmp_path}/tasks.jsonl", f"--dataset-option=repositories={tmp_path}"]
    done = intercode("run", "--dataset", "swebench", "--image", "host", *options, "--out", tmp_path / "run")
    assert done.returncode == 1
    assert f"{tmp_path} has no mirror of demo/calc: put it there as" in done.stderr, done.stderr
    assert not (tmp_path / "run").exists()
