"""What a run that anybody may have written must not have run here, unless whoever replays or resumes it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.errors import UnsafeError
from intercode.runs.settings import Settings
from intercode.runs.trust import guarded, runs_code


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file of Python beside a run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code.py").write_text("raise SystemExit('run')\n")
    return "code.py"


@pytest.fixture
def folder(code: str) -> str:
    """A task's folder whose world is code, and whose reward is too."""
    Path("mine").mkdir()
    Path("mine/task.toml").write_text('world = "world.py"\n')
    for name in ("world.py", "reward.py"):
        Path("mine", name).write_text("raise SystemExit('run')\n")
    return "./mine"


@pytest.mark.parametrize("key", ["dataset", "world", "agent", "sandbox", "database"])
def test_code_in_any_setting_is_not_run_unasked(code: str, key: str) -> None:
    settings = Settings().changed(**{key: code})
    with pytest.raises(UnsafeError, match=r"^code\.py would run on this machine, .*: say --i-know-this-is-unsafe"):
        guarded(settings, False)
    assert guarded(settings, True).unsafe
    assert runs_code(settings)


def test_a_folders_code_is_found_whatever_the_run_says_of_its_world(folder: str) -> None:
    for world in ("", "bash", "mine/world.py"):
        with pytest.raises(UnsafeError, match=r"^mine/world\.py and mine/reward\.py would run"):
            guarded(Settings(dataset=folder, world=world), False)


def test_who_names_a_folder_trusts_its_code_and_no_other(folder: str, code: str) -> None:
    assert guarded(Settings(dataset=folder, world="mine/world.py"), False, named=folder).world == "mine/world.py"
    for key in ("world", "agent", "sandbox"):
        with pytest.raises(UnsafeError, match=r"^code\.py would run"):
            guarded(Settings(dataset=folder).changed(**{key: code}), False, named=folder)


def test_plain_settings_run_nothing(code: str) -> None:
    assert guarded(Settings(), False) == Settings()
    assert not runs_code(Settings(dataset="nl2bash", agent="nowhere.py"))
