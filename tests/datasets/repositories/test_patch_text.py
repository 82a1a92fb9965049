"""Which files a patch is about; git itself writes the patches."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from swe_material import git

from intercode.datasets.repositories.patch_text import changed_paths

ODD = ["plain.py", "with blank.py", 'quo"te.py', "tab\there.py", "émile.py", "a b/c d.py", "-- x", "back\\slash"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    for name in (*ODD, "old.py", "mode.sh", "gone.py", "empty"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("" if name == "empty" else "-- a line\n++ b line\nthird\n")
    (tmp_path / "data.bin").write_bytes(bytes(range(256)))
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    return tmp_path


def test_all_that_git_writes_is_read(folder: Path) -> None:
    """Odd names, removed lines that look like headers, renames, modes, binary files, empty ones."""
    for name in ODD:
        (folder / name).write_text("other\n")
    git(folder, "mv", "old.py", "new.py")
    (folder / "mode.sh").chmod(0o755)
    (folder / "gone.py").unlink()
    (folder / "empty").unlink()
    (folder / "made.py").write_text("--- a/not_this.py\n+++ b/nor_this.py\n")
    (folder / "data.bin").write_bytes(bytes(100))
    git(folder, "add", "-A")
    done = subprocess.run(
        ["git", "diff", "--cached", "-M", "HEAD"], cwd=folder, capture_output=True, check=True
    ).stdout.decode()
    assert changed_paths(done) == {*ODD, "old.py", "new.py", "mode.sh", "gone.py", "empty", "made.py", "data.bin"}


def test_a_text_that_is_no_patch_is_about_nothing() -> None:
    for text in ("", "hello\n", "@@ -1 +1 @@", "diff --git\n", "@@ -1,9 +1,9 @@\n--- a/x\n"):
        assert changed_paths(text) == frozenset()
