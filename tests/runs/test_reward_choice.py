"""A reward that was chosen for a run: in the settings, in the manifest, when it is resumed, and in reports."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from intercode import datasets
from intercode.adversaries.clues import of_dataset
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions
from intercode.cli.display import results
from intercode.errors import BadDataError, UnknownNameError, UnsafeError, UserError
from intercode.report.report import reports
from intercode.report.tables import results as results_table
from intercode.runs import manifest as manifests
from intercode.runs import store, sweep
from intercode.runs.job import prepare
from intercode.runs.resume import reopen, settings_of
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore
from intercode.runs.trust import options_to_repeat


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A reward of one's own, in the directory that runs are begun in."""
    monkeypatch.chdir(tmp_path)
    Path("half.py").write_text("def reward(result): return 0.5\n")
    return "half.py"


def played(path: Path, reward: str) -> Path:
    """A run of one task, which it cannot do, in a sandbox that runs nothing."""
    settings = Settings(limit=1, sandbox="scripted", agent="oracle", reward=reward)
    with prepare(settings) as job, RunStore.create(path, job.manifest) as opened:
        Runner(job, opened).run()
    return path


def test_the_manifest_names_the_reward_and_its_digest(mine: str, tmp_path: Path) -> None:
    run = store.read(played(tmp_path / "run", mine))
    assert run.manifest.reward == mine
    assert len(run.manifest.data[f"reward {mine}"]) == 64
    assert [episode.value("half") for episode in run.episodes] == [0.5]
    assert [episode.value("exact") for episode in run.episodes] == [1.0]
    assert (run.manifest.format, run.manifest.chosen_reward, run.manifest.leading_reward) == (2, "half", "half")
    for own in ("", "exact", "paper"):
        with prepare(Settings(limit=1, sandbox="scripted", reward=own)) as job:
            assert (job.manifest.reward, list(job.manifest.data)) == ("", ["starter"])


def test_reports_say_which_reward_judged(mine: str, tmp_path: Path) -> None:
    run = store.read(played(tmp_path / "run", mine))
    console = Console(file=io.StringIO(), width=200)
    results.show(console, run)
    assert "half is judged by the reward half.py" in console.file.getvalue()  # type: ignore[attr-defined]
    (report,) = reports([run])
    assert report.to_json()["reward"] == mine
    assert "half is judged by the reward half.py" in results_table([report]).note


def test_a_run_goes_on_only_with_the_reward_that_it_was_begun_with(mine: str, tmp_path: Path) -> None:
    path = played(tmp_path / "run", mine)
    with pytest.raises(UserError, match=r"reward is 'half\.py', not 'exact'"):
        settings_of(path, {"reward": "exact"})
    Path(mine).write_text("def reward(result): return 0.6\n")
    with (
        prepare(settings_of(path, {"reward": mine})) as job,
        pytest.raises(UserError, match=r"^the reward half\.py changed since .* was begun"),
    ):
        reopen(path, job)


def test_a_file_in_a_run_that_somebody_else_wrote_is_not_run_unasked(mine: str, tmp_path: Path) -> None:
    path = played(tmp_path / "run", mine)
    with pytest.raises(UnsafeError, match=r"^half\.py would run on this machine"):
        settings_of(path, {})
    assert settings_of(path, {"reward": mine}).reward == mine
    assert settings_of(path, {"unsafe": True}).reward == mine
    settings = Settings(reward=mine)
    assert options_to_repeat(settings) == ["--reward", mine]


def test_a_run_is_judged_anew_from_another_directory(
    mine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = played(tmp_path / "run", mine)
    begun = store.read(path).manifest
    monkeypatch.chdir(tmp_path.parent)
    assert begun.begun_in
    assert Path(manifests.settings_here(begun, path).reward).resolve() == tmp_path / mine
    assert manifests.settings_here(replace(begun, begun_in=""), path).reward == mine


def test_a_replay_can_judge_by_another_reward(mine: str, tmp_path: Path) -> None:
    path = played(tmp_path / "run", mine)
    (same,) = replay([path], ReplayOptions(reward=mine))
    assert same.episodes[0].agrees
    (other,) = replay([path], ReplayOptions(reward="exact"))
    assert not other.episodes[0].agrees
    recording = tmp_path / "recording.json"
    recording.write_text("{}")
    with pytest.raises(UserError, match="--reward judges our own runs"):
        replay([recording], ReplayOptions(reward="exact"))


def test_who_attacks_a_reward_knows_its_source(mine: str) -> None:
    assert of_dataset(datasets.load("starter"), mine).numbers == (0.5,)
    assert of_dataset(datasets.load("starter"), "exact").numbers == ()


def test_a_sweep_is_checked_for_its_rewards_before_anything_is_played(mine: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('[grid]\nreward = ["exact", "half.py"]\n')
    assert [each.given["reward"] for each in sweep.read(plan).runs] == ["exact", mine]
    for wrong, error in (("nobody", UnknownNameError), ("nowhere.py", BadDataError)):
        plan.write_text(f'[run]\nreward = "{wrong}"\n')
        with pytest.raises(error, match=wrong):
            sweep.read(plan)
