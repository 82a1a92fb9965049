"""Compressed archives as layers, on a machine without the programs that compress."""

from __future__ import annotations

import gzip
import os
import subprocess
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from bare_path import path_without
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.compression import open_uncompressed
from intercode_sandbox.images.root_layers import TarLayer
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Sandbox

COMPRESSORS = ("gzip", "bzip2", "lbzip2", "pbzip2", "xz", "zstd")
TEXT = b"welcome\n" * 100_000
"""More than fits into a pipe."""


@pytest.fixture
def bare_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All programs of this machine but the compressors."""
    with path_without(*COMPRESSORS) as folder:
        monkeypatch.setenv("PATH", str(folder))
        yield


def packed(path: Path, form: str, name: str = "etc/motd") -> Path:
    with tarfile.open(path, f"w:{form}") as archive:  # type: ignore[call-overload]
        member = tarfile.TarInfo(name)
        member.size = len(TEXT)
        archive.addfile(member, BytesIO(TEXT))
    return path


@pytest.fixture(params=["embedded", "local"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    kind = EmbeddedSandbox() if request.param == "embedded" else LocalSandbox(i_know_this_is_unsafe=True)
    with kind as sandbox:
        yield sandbox


@pytest.mark.parametrize("form", ["", "gz", "xz", "bz2"])
def test_archives_are_unpacked_without_any_compressor(
    sandbox: Sandbox, form: str, tmp_path: Path, bare_path: None
) -> None:
    image = images.find("host").with_layers(TarLayer(packed(tmp_path / "archive", form)), name=f"packed-{form}")
    with sandbox.start(image) as session:
        assert session.read("etc/motd" if isinstance(sandbox, LocalSandbox) else "/etc/motd") == TEXT


@pytest.mark.parametrize("form", ["gz", "xz", "bz2"])
def test_an_archive_that_is_cut_off_is_named(sandbox: Sandbox, form: str, tmp_path: Path) -> None:
    whole = packed(tmp_path / "whole", form).read_bytes()
    (tmp_path / "cut").write_bytes(whole[:-5])
    image = images.find("host").with_layers(TarLayer(tmp_path / "cut"), name=f"cut-{form}")
    with pytest.raises(ImageError, match=f"{tmp_path}/cut cannot be unpacked, it is damaged or cut off: "):
        sandbox.start(image)


def test_a_plain_archive_whose_first_file_is_called_like_a_packed_one(tmp_path: Path) -> None:
    archive = packed(tmp_path / "plain", "", "BZh9-notes")
    with open_uncompressed(archive) as (stream, options):
        listed = subprocess.run(["tar", "--list", "--file=-", *options], stdin=stream, capture_output=True, check=True)
    assert listed.stdout == b"BZh9-notes\n"


def test_zstd_needs_its_program(tmp_path: Path, bare_path: None) -> None:
    (tmp_path / "a.tar.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    with pytest.raises(ImageError, match=r"not installed: .* zstd"), open_uncompressed(tmp_path / "a.tar.zst"):
        pass


def test_a_reader_who_stops_early_stops_the_rest(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(gzip.compress(bytes(50 << 20)))
    with open_uncompressed(tmp_path / "long") as (stream, _):
        assert os.read(stream, 10) == bytes(10)
