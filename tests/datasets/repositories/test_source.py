"""Where repositories come from, and what of them comes along."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from swe_material import SECRET, commit, git, make_repository

from intercode.datasets.repositories.source import LFS_POINTER, RepositorySource, missing_parts, run_git
from intercode.errors import ImageError, UserError


@pytest.fixture
def commits(tmp_path: Path) -> tuple[str, str, str]:
    return make_repository(tmp_path / "mirrors" / "demo" / "calc")


def objects(folder: Path) -> str:
    """Everything in the object store, whether anything leads there or not."""
    ids = git(folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    return "\n".join(git(folder, "cat-file", "-p", name) for name in ids)


def test_nothing_after_the_commit_comes_along(tmp_path: Path, commits: tuple[str, str, str]) -> None:
    """No object, branch, tag, reflog, hook or setting."""
    first, base, later = commits
    mirror = tmp_path / "mirrors" / "demo" / "calc"
    git(mirror, "config", "core.editor", "evil")
    (mirror / ".git" / "hooks" / "post-checkout").write_text("#!/bin/sh\n")
    RepositorySource("demo/calc", tmp_path / "mirrors").extract(base, 0, tmp_path / "out")
    out = tmp_path / "out"
    assert git(out, "log", "--all", "--format=%H").split() == [base, first]
    assert git(out, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert SECRET not in objects(out)
    assert "a + b" not in objects(out)
    assert subprocess.run(["git", "cat-file", "-e", later], cwd=out, capture_output=True, check=False).returncode
    files = [path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()]
    assert not [path for path in files if path.startswith(("logs", "hooks")) or path.endswith("_HEAD")]
    assert "evil" not in (out / "config").read_text()


def test_history_is_cut_where_asked(tmp_path: Path, commits: tuple[str, str, str]) -> None:
    RepositorySource("demo/calc", tmp_path / "mirrors").extract(commits[1], 1, tmp_path / "out")
    assert git(tmp_path / "out", "log", "--all", "--format=%H").split() == [commits[1]]


@pytest.mark.parametrize("name", ["demo/calc", "demo/calc.git", "demo__calc", "demo__calc.git"])
def test_a_mirror_may_be_called_in_several_ways(tmp_path: Path, commits: tuple[str, str, str], name: str) -> None:
    place = tmp_path / "others" / name
    place.parent.mkdir(parents=True)
    git(tmp_path, "clone", "-q", "--mirror", str(tmp_path / "mirrors" / "demo" / "calc"), str(place))
    RepositorySource("demo/calc", tmp_path / "others").extract(commits[0], 0, tmp_path / "out")


def test_a_missing_mirror_and_a_missing_commit_are_said(tmp_path: Path, commits: tuple[str, str, str]) -> None:
    with pytest.raises(ImageError, match=r"no mirror of demo/other: put it there as demo/other\[.git\] or demo__other"):
        RepositorySource("demo/other", tmp_path / "mirrors").extract(commits[0], 0, tmp_path / "one")
    with pytest.raises(ImageError, match=f"the repository demo/calc has no commit {'0' * 40}"):
        RepositorySource("demo/calc", tmp_path / "mirrors").extract("0" * 40, 0, tmp_path / "two")


def test_a_clone_is_made_once_kept_and_brought_up_to_date(
    tmp_path: Path, commits: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    source = RepositorySource("demo/calc", host=(tmp_path / "mirrors").as_uri())
    source.extract(commits[1], 0, tmp_path / "one")
    clone = tmp_path / "cache" / "repositories" / "demo__calc.git"
    born = clone.stat().st_ino
    newer = commit(tmp_path / "mirrors" / "demo" / "calc", "Newer", calc__py="")
    source.extract(newer, 0, tmp_path / "two")
    assert clone.stat().st_ino == born
    assert [path.name for path in clone.parent.iterdir()] == [clone.name]


@pytest.mark.parametrize("host", ["", "--upload-pack=evil", "ext::sh -c evil", "/home/me", "ssh://-oProxyCommand=evil"])
def test_an_address_that_is_none_never_reaches_git(host: str) -> None:
    with pytest.raises(UserError, match="is not an address of repositories"):
        RepositorySource("demo/calc", host=host)


def test_a_repository_that_cannot_be_cloned_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    source = RepositorySource("demo/calc", host=(tmp_path / "nothing").as_uri())
    with pytest.raises(ImageError, match=r"could not be cloned: .*repositories=FOLDER"):
        source.extract("0" * 40, 0, tmp_path / "out")
    assert not list((tmp_path / "cache" / "repositories").iterdir())


def test_submodules_and_files_of_lfs_are_named(tmp_path: Path) -> None:
    """Their folders are empty and their files pointers; what only speaks of LFS is neither."""
    pointer = f"{LFS_POINTER}\noid sha256:{'4d' * 32}\nsize 12345\n"
    (tmp_path / "big.bin").write_text(pointer)
    (tmp_path / "about.md").write_text(f"A pointer begins with `{LFS_POINTER}`.\n")
    git = ("-C", str(tmp_path), "-c", "user.name=me", "-c", "user.email=me@example.org")
    run_git(*git, "init", "-q")
    run_git(*git, "add", "about.md")
    run_git(*git, "commit", "-qm", "nothing is missing")
    assert not list(missing_parts(tmp_path, "HEAD"))
    run_git(*git, "add", "big.bin")
    run_git(*git, "update-index", "--add", "--cacheinfo", f"160000,{'4d' * 20},vendor/part")
    run_git(*git, "commit", "-qm", "two are")
    assert list(missing_parts(tmp_path, "HEAD")) == [
        "submodules are empty folders here: vendor/part",
        "files of Git LFS are pointers here, not what they stand for: big.bin",
    ]
