"""Paths in a session's folder lead nowhere else, whoever changes it while they are opened."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from intercode_sandbox.host import directory_tree
from intercode_sandbox.host.session import FolderSession
from intercode_sandbox.images import find
from intercode_sandbox.local.sandbox import LocalSession
from intercode_sandbox.sandbox import Limits

SWAP = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
here, there = b"swapped", b"link"
while True:
    libc.renameat2(-100, here, -100, there, 2)  # RENAME_EXCHANGE: never is nothing there
"""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[FolderSession]:
    """A session in which `swapped` is by turns a folder of its own and a link to one outside, which has a secret."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("secret")
    with LocalSession(find("host"), Limits()) as session:
        (session.folder / "swapped").mkdir()
        (session.folder / "swapped" / "file").write_text("own")
        (session.folder / "link").symlink_to(outside)
        process = subprocess.Popen(["python3", "-c", SWAP], cwd=session.folder)
        try:
            yield session
        finally:
            process.kill()
            process.wait()


def test_nothing_outside_is_read(session: FolderSession) -> None:
    read = set()
    for _ in range(3000):
        with suppress(OSError):
            read.add(session.read("/swapped/file"))
    assert read == {b"own"}


def test_nothing_outside_is_written(session: FolderSession, tmp_path: Path) -> None:
    for _ in range(1000):
        with suppress(OSError):
            session.write("/swapped/planted", b"x")
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["file"]


def test_nothing_outside_is_listed(session: FolderSession, tmp_path: Path) -> None:
    (tmp_path / "outside" / "only-there").write_text("")
    for _ in range(1000):
        assert not any("only-there" in path for path in directory_tree.scan(session.folder))
