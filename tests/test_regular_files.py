"""Files that somebody else may have written: nothing that is opened blocks, has no end, or is a file of the user's."""

from __future__ import annotations

import gzip
import os
import socket
from pathlib import Path

import pytest

from intercode.util.regular_files import open_regular, open_to_append, read_bytes, read_lines, read_text, unzip


def make_irregular(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    else:
        path.symlink_to("/dev/zero")


@pytest.mark.parametrize("kind", ["pipe", "folder", "socket", "device"])
def test_what_is_no_regular_file_is_refused_and_named_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    make_irregular(path, kind)
    with pytest.raises(OSError, match=f"a .*{kind}, not a regular file") as caught:
        open_regular(path)
    assert caught.value.filename == str(path)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_nothing_is_written_to_what_is_no_regular_file(tmp_path: Path, kind: str) -> None:
    make_irregular(tmp_path / "x", kind)
    with pytest.raises(OSError, match=r"it is a (named pipe|link), not a regular file"):
        open_to_append(tmp_path / "x")


def test_a_link_is_not_followed_for_writing_even_where_it_leads_nowhere_yet(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to(tmp_path / "profile")
    with pytest.raises(OSError, match="it is a link, not a regular file"):
        open_to_append(tmp_path / "x")
    assert not (tmp_path / "profile").exists()


@pytest.mark.parametrize("target", ["/etc/passwd", "../secret", "loop"])
def test_a_link_may_not_lead_out_of_the_folder(tmp_path: Path, target: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "secret").write_text("x")
    (folder / "loop").symlink_to("loop")
    (folder / "x").symlink_to(target)
    with pytest.raises(OSError, match=r"a link leads out of|Too many levels of symbolic links"):
        read_bytes(folder / "x", within=folder)


def test_a_link_inside_of_the_folder_is_followed_and_so_is_one_that_leads_to_the_folder(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "old").write_text("x")
    (tmp_path / "run" / "x").symlink_to("old")
    (tmp_path / "latest").symlink_to("run")
    assert read_text(tmp_path / "latest" / "x", within=tmp_path / "latest") == "x"


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="it has 1024 GiB, and 64 MiB are read at most"):
        read_bytes(tmp_path / "x")


def test_a_file_that_says_it_is_empty_is_read_to_the_limit_only(tmp_path: Path) -> None:
    """As those of the kernel's do."""
    with pytest.raises(OSError, match="are read at most"):
        read_bytes(Path("/proc/self/maps"), most=10)


def test_a_line_has_a_limit(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        file.write(b"a" * ((1 << 20) - 1) + b"\nb")
        file.truncate(1 << 40)
    lines = read_lines(tmp_path / "x", longest=1 << 20)
    assert len(next(lines)) == 1 << 20
    with pytest.raises(OSError, match="line 2 has over 1 MiB"):
        next(lines)


def test_what_is_packed_is_unpacked_to_the_limit_only(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(1 << 20))
    with pytest.raises(OSError, match="unpacked it has over 1000 bytes"):
        unzip(bomb, tmp_path / "x", most=1000)
    assert unzip(bomb, tmp_path / "x") == bytes(1 << 20)
    assert unzip(b"plain", tmp_path / "x") == b"plain"
