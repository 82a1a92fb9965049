"""Archives end where they say that they end, whatever follows and however they are compressed."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from intercode_sandbox.images.tar_archives import BLOCK, TarMember, pack, up_to_its_end

ENDED = pack([TarMember("zeros", 0o644, 1, bytes(3000)), TarMember("link", 0o777, 1, target="zeros")])[
    : 512 + 3072 + 512 + 1024
]
"""A file of zeros, of six blocks, and a link: then the two blocks of zeros that are an archive's end."""


def given(tmp_path: Path, content: bytes) -> list[bytes]:
    (tmp_path / "layer.tar").write_bytes(content)
    return list(up_to_its_end(tmp_path / "layer.tar"))


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_what_follows_an_archives_end_is_left_out(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    """And no zero of a file's own is."""
    assert b"".join(given(tmp_path, compress(ENDED + bytes(100_000)))) == ENDED


def test_a_large_archive_comes_in_blocks(tmp_path: Path) -> None:
    large = pack([TarMember("large", 0o644, 1, bytes(2 * BLOCK))])
    assert [len(block) for block in given(tmp_path, large)] == [BLOCK, BLOCK, 512 + 1024]


@pytest.mark.parametrize(
    "odd", [b"", b"no archive", gzip.compress(ENDED)[:-9], b"\x28\xb5\x2f\xfd zstd", ENDED[:-1024]]
)
def test_what_cannot_be_read_here_is_left_to_the_engine(tmp_path: Path, odd: bytes) -> None:
    assert b"".join(given(tmp_path, odd)) == odd
