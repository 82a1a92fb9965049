from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from intercode.worlds.bash.scoring.git_tracked import TrackedFiles, is_ignored, parents


def put(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("path", ["/usr", "/usr/bin/ls", "/a/lib/x", "/a/etc", "/.dockerenv", "/a/.git/HEAD"])
def test_the_published_names_are_ignored_at_any_depth(path: str) -> None:
    assert is_ignored(path)


@pytest.mark.parametrize("path", ["/tmp/x", "/mnt", "/library", "/a/lib.txt", "/lib64", "/.gitignore"])
def test_other_names_are_not(path: str) -> None:
    assert not is_ignored(path)


def test_the_directories_above_a_path_come_from_the_top() -> None:
    assert list(parents("/a/b/c")) == ["/a", "/a/b"]
    assert list(parents("/a")) == []


def test_directories_with_tracked_files_are_known_at_every_depth() -> None:
    tracked = TrackedFiles.of(["/a/b/c.txt", "/usr/bin/ls", "/x/lib/y", "/top"])
    assert tracked.directories == {"/a", "/a/b"}


def test_a_folder_on_disk_is_read_without_its_ignored_trees(tmp_path: Path) -> None:
    put(tmp_path / "a/b/file")
    put(tmp_path / "usr/lib/x")
    (tmp_path / "empty/sub").mkdir(parents=True)
    (tmp_path / "links").mkdir()
    (tmp_path / "links/one").symlink_to("/nowhere")
    os.mkfifo(tmp_path / "empty/fifo")
    assert TrackedFiles.below(tmp_path).directories == {"/a", "/a/b", "/links"}


def test_layers_add_up(tmp_path: Path) -> None:
    put(tmp_path / "1/a/file")
    put(tmp_path / "2/b/file")
    assert TrackedFiles.below(tmp_path / "1", tmp_path / "2").directories == {"/a", "/b"}


def test_layers_add_up_where_files_have_no_attributes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "listxattr")  # as on macOS and Windows
    test_layers_add_up(tmp_path)


def test_a_layer_replaces_a_directory_by_a_file(tmp_path: Path) -> None:
    put(tmp_path / "1/a/sub/file")
    put(tmp_path / "2/a")
    assert TrackedFiles.below(tmp_path / "1", tmp_path / "2").directories == frozenset()


def test_a_layer_removes_files_and_hides_directories(tmp_path: Path) -> None:
    """Overlayfs marks what is gone by a device 0/0, and a directory that starts anew by an attribute."""
    put(tmp_path / "1/a/file")
    put(tmp_path / "1/b/old/file")
    (tmp_path / "2/a").mkdir(parents=True)
    put(tmp_path / "2/b/new/file")
    try:
        os.mknod(tmp_path / "2/a/file", 0o020000 | 0o600, 0)
        os.setxattr(tmp_path / "2/b", "user.overlay.opaque", b"y")
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP):
            raise
        pytest.skip("this file system or user cannot make overlayfs' marks")
    assert TrackedFiles.below(tmp_path / "1", tmp_path / "2").directories == {"/b", "/b/new"}
