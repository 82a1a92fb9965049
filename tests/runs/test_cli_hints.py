"""The commands that people are told: said as they stand, they do what they promise."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_world import toy_job

from intercode.cli.shared import parsing
from intercode.errors import BudgetExceededError, UnsafeError
from intercode.runs import cli_hints
from intercode.runs.budget import Budget
from intercode.runs.resume import settings_of
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore

URL = "http://127.0.0.1:9/v1"


def given(command: str) -> dict[str, Any]:
    """What the command line makes of the words after `run --resume --out FOLDER`."""
    words = shlex.split(command)
    assert words[:4] == ["intercode", "run", "--resume", "--out"]
    found: dict[str, Any] = {}
    rest = iter(words[5:])
    for word in rest:
        if word == "--i-know-this-is-unsafe":
            found["unsafe"] = True
        elif word == "--model-option":
            found["model_options"] = parsing.pairs(word, [next(rest)])
        else:
            found[word.removeprefix("--").replace("-", "_")] = next(rest)
    return found


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A data set of a user's own, whose reward is a file of code."""
    (tmp_path / "reward.py").touch()
    return tmp_path


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"model": "m", "base_url": URL},
        {"model": "m", "base_url": URL, "model_options": {"key_env": "MY KEY", "tries": "2"}},
        {"unsafe": True},
        {"dataset": "OWN"},
        {"dataset": "OWN", "agent": "OWN/reward.py"},
        {"dataset_options": {"format": "pickle"}},
    ],
)
def test_going_on_is_allowed_with_the_very_words_that_are_told(
    tmp_path: Path, own: Path, settings: Mapping[str, Any]
) -> None:
    expected = {name: _there(value, own) for name, value in settings.items()}
    folder = tmp_path / "a run"
    manifest = toy_job(**expected).manifest
    RunStore.create(folder, manifest).close()
    command = cli_hints.resume_command(folder, manifest.settings)
    assert shlex.split(command)[4] == str(folder)
    found = settings_of(folder, given(command))
    assert found == manifest.settings.changed(unsafe=found.unsafe)
    assert found.unsafe or not manifest.settings.unsafe
    if settings and "unsafe" not in settings:  # the sandbox itself refuses that one
        with pytest.raises(UnsafeError):
            settings_of(folder, {})


def _there(value: Any, own: Path) -> Any:
    return value.replace("OWN", str(own)) if isinstance(value, str) else value


def test_what_stops_a_run_tells_how_many_were_played_at_a_time_and_that_there_must_be_more_to_spend(
    tmp_path: Path,
) -> None:
    job = toy_job(max_tokens=10)
    with (
        RunStore.create(tmp_path / "run", job.manifest) as store,
        pytest.raises(BudgetExceededError, match=r"--out \S+/run --parallel 8 --max-tokens MORE$"),
    ):
        Runner(replace(job, budget=Budget(tokens=0)), store, parallel=8).run()


def test_replaying_code_of_ones_own_says_that_it_is_wanted(own: Path) -> None:
    assert "--i-know-this-is-unsafe" in cli_hints.replay_command(Path("run"), Settings(dataset=str(own)), "a/1")
    assert cli_hints.replay_command(Path("run"), Settings(), "a/1") == "intercode replay run --tasks a/1"


def test_names_with_spaces_are_quoted() -> None:
    assert cli_hints.show_command(Path("my runs"), "a/1:2") == "intercode show 'my runs' a/1:2"
