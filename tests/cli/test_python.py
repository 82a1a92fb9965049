"""The Python world from the command line."""

from __future__ import annotations

from pathlib import Path

from terminal import intercode

FEW = ("--tasks", "initials,sum-of-lines")


def test_python_tasks_are_listed_played_shown_and_replayed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert "starter-python/initials" in intercode("tasks", "starter-python").stdout
    done = intercode("run", "--world", "python", *FEW, "--out", run)
    assert done.returncode == 0, done.stderr
    assert "starter-python with oracle" in done.stdout
    assert "def initials(name):" in intercode("show", run, "initials").stdout
    replayed = intercode("replay", run)
    assert "everything agrees" in replayed.stdout, replayed.stdout


def test_published_data_is_named() -> None:
    listed = intercode("data", "list").stdout
    assert "mbpp" in listed
    assert "apps" in listed
