"""What was paid and is not the gold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sample_trajectories import episode, run, turn

from intercode.errors import UnsafeError
from intercode.report.unlike_gold import of_runs, unlike_gold
from intercode.types import Task

TASKS = {
    "t/1": Task("t/1", "Count.", "wc -l < notes.txt", alternative_golds=("grep -c '' notes.txt",)),
    "t/2": Task("t/2", "Find the flag.", "flag{x}", world="ctf"),
}


def test_only_paid_episodes_without_a_gold_among_their_code_are_told() -> None:
    episodes = [
        episode("t/1", 1.0, turn("ls"), turn("wc -l <  notes.txt;")),
        episode("t/1", 1.0, turn("grep -c '' notes.txt")),
        episode("t/1", 0.0, turn("echo 8")),
        episode("t/1", 1.0, turn("cat notes.txt | wc -l"), repeat=1),
        episode("t/1", 1.0, turn("ls"), turn("echo 7"), repeat=2),
        episode("t/1", 1.0, turn("ls"), turn("echo 7"), repeat=3),
        episode("t/2", 1.0, turn("cat /flag")),
    ]
    found = unlike_gold(episodes, TASKS, "exact")
    assert [(each.code, each.episodes) for each in found] == [("ls\necho 7", 2), ("cat notes.txt | wc -l", 1)]
    assert found[0].likeness < found[1].likeness < 1


def test_golds_of_a_stored_run_are_read_from_its_data_set(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(json.dumps({"id": "1", "query": "Count.", "gold": "wc -l < notes.txt"}) + "\n")
    stored = run(tmp_path / "run", [episode("mine/1", 1.0, turn("echo 7"))], dataset=str(file))
    (found,) = of_runs([stored], None)
    assert (found.task, found.gold, found.code) == ("mine/1", "wc -l < notes.txt", "echo 7")


def test_a_data_set_that_is_somebody_s_code_is_not_run_unasked(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("raise SystemExit('it ran')\n")
    stored = run(tmp_path / "run", [episode("mine/1", 1.0, turn("echo 7"))], dataset=str(tmp_path / "mine.py"))
    with pytest.raises(UnsafeError, match=r"mine\.py"):
        of_runs([stored], None)
