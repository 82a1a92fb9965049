"""Runs that were stored in format 1, by the program of then: read, shown, replayed and certified as they are."""

from __future__ import annotations

import io
import shutil
import sqlite3
from pathlib import Path

import pytest
from rich.console import Console

from intercode.audit.replay.certificate import certify
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions
from intercode.cli.display import results
from intercode.errors import UserError
from intercode.report.report import reports
from intercode.report.tables import results as results_table
from intercode.runs import store
from intercode.runs.store import RunStore

STORED = Path(__file__).parent / "format_1"


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stored runs, as if on this machine's SQLite, and the reward that one of them was judged by."""
    monkeypatch.chdir(tmp_path)
    Path("half.py").write_text("def reward(result): return 0.5\n")
    for run in shutil.copytree(STORED, tmp_path / "runs").iterdir():
        episodes = run / "episodes.jsonl"
        episodes.write_text(episodes.read_text().replace("SQLite 3.40.1@", f"SQLite {sqlite3.sqlite_version}@"))
    return tmp_path / "runs"


@pytest.mark.parametrize(("name", "exact"), [("plain", 1.0), ("chosen_reward", 0.5)])
def test_a_chosen_reward_is_found_under_exact(runs: Path, name: str, exact: float) -> None:
    for outlines in (False, True):
        run = store.read(runs / name, outlines=outlines)
        assert (run.manifest.format, run.manifest.leading_reward) == (1, "exact")
        assert [(each.value("exact"), each.value("paper")) for each in run.episodes] == [(exact, 1.0)]


def test_it_is_shown_and_reported_as_it_was(runs: Path) -> None:
    run = store.read(runs / "chosen_reward")
    console = Console(file=io.StringIO(), width=200)
    results.show(console, run)
    assert "exact is judged by the reward half.py" in console.file.getvalue()  # type: ignore[attr-defined]
    (report,) = reports([run])
    assert report.summary.rewards == {"exact": 0.5, "paper": 1.0}
    assert "exact is judged by the reward half.py" in results_table([report]).note


@pytest.mark.parametrize(("name", "reward"), [("plain", ""), ("chosen_reward", "half.py")])
def test_it_is_replayed_and_certified(runs: Path, name: str, reward: str) -> None:
    (compared,) = replay([runs / name], ReplayOptions(reward=reward))
    assert compared.episodes[0].agrees
    assert certify(compared).holds


def test_what_another_reward_gives_is_no_longer_the_same(runs: Path) -> None:
    Path("half.py").write_text("def reward(result): return 0.25\n")
    (compared,) = replay([runs / "chosen_reward"], ReplayOptions(reward="half.py"))
    assert not certify(compared).holds


def test_nothing_is_added_where_a_score_would_have_another_name(runs: Path) -> None:
    with pytest.raises(UserError, match=r"format 1, in which the scores of half\.py are stored as exact"):
        RunStore.resume(runs / "chosen_reward")
    RunStore.resume(runs / "plain").close()
