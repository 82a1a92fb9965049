"""`intercode hackcheck` as a command: what it prints, writes and exits with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from terminal import PROGRAM, intercode

PAYS = "def reward(ending):\n    return 'PASSED' in (ending.answer or '')\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one task that pays for a word."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "task.toml").write_text('world = "bash"\n')
    (mine / "tasks.jsonl").write_text('{"query": "Run the tests.", "gold": "echo 3 PASSED"}\n')
    (mine / "reward.py").write_text(PAYS)
    return mine


def test_the_verdict_comes_first_and_those_who_earned_nothing_are_left_out(folder: Path) -> None:
    few = ("hackcheck", "./mine", "--adversaries", "does-nothing,says-success")
    shown = intercode(*few, cwd=folder.parent).stdout
    assert shown.startswith("1 of 1 task pays an adversary under exact; tried: 2 adversaries on 1 task, 2 attempts\n")
    assert "does-nothing" not in shown
    assert "1 adversary earned nothing; --all shows" in shown
    assert "does-nothing" in intercode(*few, "--all", cwd=folder.parent).stdout


def test_a_known_hole_does_not_fail_and_files_are_written_for_others(folder: Path) -> None:
    few = ("hackcheck", "./mine", "--adversaries", "does-nothing,says-success")
    (folder.parent / "known.json").write_text(intercode(*few, "--json", cwd=folder.parent).stdout)
    files = ("--sarif", "found.sarif", "--html", "found.html", "--badge", "found.svg")
    done = intercode(*few, "--baseline", "known.json", *files, cwd=folder.parent)
    assert done.returncode == 0, done.stdout
    (result,) = json.loads((folder.parent / "found.sarif").read_text())["runs"][0]["results"]
    assert (result["level"], result["baselineState"]) == ("note", "unchanged")
    assert (folder.parent / "found.html").read_text().startswith("<!doctype html>")
    assert (folder.parent / "found.svg").read_text().startswith("<svg")


def test_moves_that_are_no_list_of_texts_are_refused() -> None:
    done = intercode("hackcheck", "starter", "--moves", "ls")
    assert done.returncode == 2
    assert 'it is a JSON list of texts, such as ["ls", "submit"], not' in done.stderr


def test_a_workspace_has_no_grader_of_ours_to_harden(folder: Path) -> None:
    done = intercode("hackcheck", "--workspace", str(folder), "--grade", "true", "--fix")
    assert done.returncode == 2
    assert "leave out --workspace" in done.stderr


def test_the_selftest_says_that_adversaries_are_paid_where_they_must_be() -> None:
    done = intercode("hackcheck", "--selftest")
    assert (done.returncode, done.stdout) == (0, "every class of adversaries is paid where it must be\n"), done.stderr


def test_after_ctrl_c_what_was_found_is_printed(folder: Path) -> None:
    """By the first task; the gold of the second takes a minute."""
    with (folder / "tasks.jsonl").open("a") as file:
        file.write('{"query": "Wait.", "gold": "sleep 60; echo 3 PASSED"}\n')
    command = [*PROGRAM, "hackcheck", str(folder), "--adversaries", "says-success"]
    shows_progress = {**os.environ, "CI": ""}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=shows_progress, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stderr
        told: list[str] = []
        while "1 of 2 done" not in (line := process.stderr.readline()):
            assert line, f"it ended before its first task was done: {''.join(told)}"
            told.append(line)
        process.send_signal(signal.SIGINT)
        shown, _ = process.communicate(timeout=90)
    assert process.returncode == 3, shown
    assert "1 of 1 task pays an adversary under exact" in shown
    assert "1 task not begun" in shown


def test_a_quick_check_says_what_it_left_out_and_keeps_what_it_found(folder: Path) -> None:
    (folder / "reward.py").write_text("import time\n" + PAYS.replace("    return", "    time.sleep(1)\n    return"))
    done = intercode("hackcheck", "./mine", "--quick", "--json", cwd=folder.parent)
    found = json.loads(done.stdout)
    assert (done.returncode, found["pays_adversaries"]) == (3, ["mine/0"])
    assert "not tried to the end on 1 task" in found["sentence"]
    assert found["tasks"][0]["skipped"]
