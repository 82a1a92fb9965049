"""Fetching a folder by git, from a real repository on this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from intercode.datasets.sources import PublishedFolder, PublishedSource, available, get
from intercode.datasets.sources.folders import MARK
from intercode.errors import DownloadError


def git(place: Path, *arguments: str) -> str:
    names = {f"GIT_{who}_{what}": "tester" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    done = subprocess.run(command, cwd=place, env={**os.environ, **names}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose newest commit is not the published one."""
    place = tmp_path / "served" / "someone" / "something"
    place.mkdir(parents=True)
    git(place, "init", "--quiet")
    files = {
        "data/assets/1/flag.bin": b"\r\n\x00\xff",
        "data/assets/1/solution/README.md": b"the answer",
        "data/assets/2/deep/solution/solve.py": b"the answer",
        "data/assets/2/run.sh": b"#!/bin/sh\n",
        "elsewhere/large": b"not wanted",
    }
    for path, content in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    (place / "data/assets/2/run.sh").chmod(0o755)
    git(place, "add", "-A")
    git(place, "commit", "--quiet", "-m", "published")
    (place / "data/assets/1/flag.bin").write_bytes(b"newer")
    git(place, "commit", "--quiet", "-am", "newer")
    git(place, "config", "uploadpack.allowFilter", "true")
    git(place, "config", "uploadpack.allowAnySHA1InWant", "true")
    return place


@pytest.fixture
def published_sources(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, PublishedSource]:
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path / "data"))
    commit = git(repository, "rev-parse", "HEAD~")
    folders = (PublishedFolder("data/assets", without=("solution",)),)
    return {"toy": PublishedSource("toy", "a folder", "CC0", "someone/something", commit, (), folders=folders)}


def host(repository: Path) -> str:
    return f"file://{repository.parents[1]}"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_fetched_as_of_its_commit_without_what_is_left_out(
    repository: Path, published_sources: dict[str, PublishedSource]
) -> None:
    lines: list[str] = []
    assets = get("toy", progress=lines.append, git_host=host(repository), sources=published_sources) / "assets"
    mark = f"{published_sources['toy'].commit}\n".encode()
    assert contents(assets) == {"1/flag.bin": b"\r\n\x00\xff", "2/run.sh": b"#!/bin/sh\n", MARK: mark}
    assert (assets / "2/run.sh").stat().st_mode & 0o100
    assert lines == ["fetching the folder assets (by git)"]
    assert [path.name for path in assets.parent.iterdir()] == ["assets"], "nothing else stays"


def test_what_is_there_is_not_fetched_again(repository: Path, published_sources: dict[str, PublishedSource]) -> None:
    (before,) = available(published_sources, {})
    get("toy", git_host=host(repository), sources=published_sources)
    (after,) = available(published_sources, {})
    assert (before.present, after.present) == (False, True)
    lines: list[str] = []
    get("toy", progress=lines.append, git_host="file:///nowhere", sources=published_sources)
    assert lines == []


def test_a_folder_of_another_commit_is_replaced(
    repository: Path, published_sources: dict[str, PublishedSource]
) -> None:
    assets = get("toy", git_host=host(repository), sources=published_sources) / "assets"
    (assets / MARK).write_text("another\n")
    (assets / "old").write_text("gone soon")
    get("toy", git_host=host(repository), sources=published_sources)
    assert "old" not in contents(assets)


def test_a_server_that_is_not_there_is_named_and_nothing_is_left(
    published_sources: dict[str, PublishedSource], tmp_path: Path
) -> None:
    with pytest.raises(
        DownloadError, match=r"file:///nowhere/someone/something: git says: .*; try again later, or put"
    ):
        get("toy", git_host="file:///nowhere", sources=published_sources)
    assert contents(tmp_path / "data") == {}


def test_a_repository_of_the_users_own_is_left_alone(
    repository: Path, published_sources: dict[str, PublishedSource], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a hook of git's, variables lead every git to the repository that it belongs to."""
    own = tmp_path / "own"
    own.mkdir()
    git(own, "init", "--quiet")
    before = contents(own)
    monkeypatch.setenv("GIT_DIR", str(own / ".git"))
    get("toy", git_host=host(repository), sources=published_sources)
    assert contents(own) == before
