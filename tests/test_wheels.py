"""What a release ships: wheels of InterCode and of its sandbox, which play tasks where there is no compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
from wheel_files import REPOSITORY, build, install

import intercode
import intercode_sandbox
from intercode.runs import store


def play(python: Path, folder: Path) -> store.StoredRun:
    """The golds of eight starter tasks, played by *python* where PATH holds no compiler."""
    bare = folder / "bin"
    bare.mkdir()
    for name in ("bwrap", "newuidmap", "newgidmap", "git"):
        if found := shutil.which(name):
            (bare / name).symlink_to(found)
    play_them: list[str | Path] = [python, "-m", "intercode", "run", "--limit", "8", "--out", folder / "run"]
    # Who unpacks layers is another user, who cannot look into this folder: so the images are made before.
    prepare: list[str | Path] = [python, "-m", "intercode", "data", "prepare", "starter", "--limit", "8"]
    for command, path in ((prepare, os.environ["PATH"]), (play_them, str(bare))):
        env = {**os.environ, "PATH": path, "CI": "1"}
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return store.read(folder / "run")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the wheel is for x86-64")
def test_wheels_in_a_clean_environment_play_starter_tasks(tmp_path: Path) -> None:
    sandbox = build(tmp_path / "sandbox", wheel="x86_64")
    ours = build(tmp_path / "intercode", project=REPOSITORY)
    assert ours.name.endswith("-py3-none-any.whl"), "all programs are the sandbox's"
    python = install(tmp_path / "python", sandbox, ours)
    where = subprocess.run(
        [python, "-c", "import intercode, intercode_sandbox as s; print(intercode.__file__, s.__file__)"],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    assert all(each.startswith(str(tmp_path)) for each in where.stdout.split()), "not the packages of these tests"
    episodes = play(python, tmp_path).episodes
    assert [episode.scores is not None and episode.scores["exact"].success for episode in episodes] == [True] * 8


def test_both_packages_have_one_version() -> None:
    installed = {version(name) for name in ("intercode-env", "intercode-sandbox", "intercode-generate")}
    assert {intercode.__version__, intercode_sandbox.__version__} == installed


def test_the_source_archive_holds_what_a_wheel_is_built_from(tmp_path: Path) -> None:
    archive = build(tmp_path / "dist", project=REPOSITORY, kind="sdist")
    (tmp_path / "source").mkdir()
    subprocess.run(["tar", "-xzf", archive, "-C", tmp_path / "source"], check=True)
    (source,) = (tmp_path / "source").iterdir()
    assert build(tmp_path / "wheel", project=source).suffix == ".whl"
