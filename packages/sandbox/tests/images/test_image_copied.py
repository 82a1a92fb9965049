"""A layer copied from a folder of this machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from local_layer_builder import LocalLayerBuilder, shell

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images import Image
from intercode_sandbox.images.copied_layer import CopiedLayer
from intercode_sandbox.images.files_layer import CREATED
from intercode_sandbox.images.store import ImageStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "given"
    (folder / "deep" / "secret").mkdir(parents=True)
    (folder / "plain").write_bytes(bytes(range(256)) * 100)
    (folder / "deep" / "run").write_text("#!/bin/sh\n")
    (folder / "deep" / "run").chmod(0o750)
    (folder / "deep" / "secret" / "answer").write_text("42")
    (folder / "secret").write_text("a file of that name is none of those folders")
    (folder / ".mark").write_text("ours")
    (folder / "link").symlink_to("plain")
    return folder


def build(tmp_path: Path, layer: CopiedLayer) -> Path:
    store = ImageStore(tmp_path / "cache", layer_builder=LocalLayerBuilder())
    return store.mounts(Image("test", (shell(), layer)))[1].path


def test_files_are_copied_to_their_place_and_nothing_else(tmp_path: Path, folder: Path) -> None:
    root = build(tmp_path, CopiedLayer(folder, "/srv/here", without=("secret",)))
    found = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
    assert set(found) == {"srv/here/plain", "srv/here/deep/run", "srv/here/secret"}
    assert found["srv/here/plain"].read_bytes() == (folder / "plain").read_bytes()
    assert {path.stat().st_mode & 0o777 for path in found.values()} == {0o644, 0o755}
    assert {path.stat().st_mtime for path in found.values()} == {CREATED}


def test_equal_contents_are_one_layer_wherever_they_lie(tmp_path: Path, folder: Path) -> None:
    twin = tmp_path / "twin"
    shutil.copytree(folder, twin, symlinks=True)
    (twin / "plain").touch()
    assert CopiedLayer(twin, "/srv").key == CopiedLayer(folder, "srv/").key


def test_whatever_is_copied_tells_layers_apart(tmp_path: Path, folder: Path) -> None:
    before = CopiedLayer(folder, "/srv").key
    assert CopiedLayer(folder, "/opt").key != before
    assert CopiedLayer(folder, "/srv", without=("secret",)).key != before
    (folder / "deep" / "run").chmod(0o640)
    assert CopiedLayer(folder, "/srv").key != before


def test_what_is_left_out_tells_nothing_apart(folder: Path) -> None:
    before = CopiedLayer(folder, "/srv", without=("secret",)).key
    (folder / "deep" / "secret" / "answer").write_text("43")
    (folder / ".mark").unlink()
    assert CopiedLayer(folder, "/srv", without=("secret",)).key == before


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="gone is not a folder"):
        _ = CopiedLayer(tmp_path / "gone", "/srv").key
