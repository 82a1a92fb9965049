"""Archives are the same by their members; hostile ones are told by their bytes, soon and without harm."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import subprocess
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.worlds.bash.scoring.archives import MOST, ReadingBudget, members_digest

FILES = {"a.txt": b"one", "deep/b.txt": b"two"}
LONG = "/".join(["a rather long folder's name"] * 9) + "/file.txt"


def tar(files: dict[str, bytes], *, mtime: int = 1, form: int = tarfile.GNU_FORMAT, prefix: str = "") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(prefix + name)
            member.size, member.mtime = len(content), mtime
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def zipped(files: dict[str, bytes], *, year: int = 2020) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0)), content)
    return buffer.getvalue()


def backwards(files: dict[str, bytes]) -> dict[str, bytes]:
    return dict(reversed(files.items()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (tar(FILES), tar(backwards(FILES), mtime=9)),
        (tar(FILES), tar(FILES, form=tarfile.PAX_FORMAT)),
        (tar(FILES), tar(FILES, prefix="./")),
        (tar(FILES), tar(FILES, prefix="/")),
        (tar({LONG: b"x"}), tar({LONG: b"x"}, form=tarfile.PAX_FORMAT)),
        (gzip.compress(tar(FILES), 1, mtime=1), gzip.compress(tar(FILES), 9, mtime=2)),
        (gzip.compress(b"text", mtime=1), gzip.compress(b"text", mtime=2)),
        (gzip.compress(b"te") + gzip.compress(b"xt"), gzip.compress(b"text")),
        (bz2.compress(tar(FILES), 1), bz2.compress(tar(FILES), 9)),
        (lzma.compress(tar(FILES), preset=0), lzma.compress(tar(FILES), preset=9)),
        (zipped(FILES), zipped(backwards(FILES), year=2021)),
        (zipped({"d/": b"", **FILES, "deep/": b""}), zipped({"d/": b"", **FILES})),
    ],
    ids=range(12),
)
def test_the_same_members_are_the_same(one: bytes, other: bytes) -> None:
    assert members_digest(one) == members_digest(other)
    assert str(members_digest(one)).startswith("members:")


DIFFERENT: Sequence[bytes] = (
    tar(FILES),
    tar({**FILES, "c": b""}),
    tar({**FILES, "a.txt": b"one more"}),
    tar({"a.txt": b"one", "b.txt": b"two"}),
    tar(FILES, prefix="shop/"),
    gzip.compress(tar(FILES)),
    bz2.compress(tar(FILES)),
    zipped(FILES),
    gzip.compress(b"text"),
    gzip.compress(b"texts"),
    zipped({**FILES, "empty/": b""}),
)


def test_other_members_and_other_formats_differ() -> None:
    assert len({members_digest(each) for each in DIFFERENT}) == len(DIFFERENT)


def test_programs_of_a_plain_system_are_read(tmp_path: Path) -> None:
    """Links, hard links, empty folders and names beyond ASCII, as GNU tar writes them."""
    tree = tmp_path / "tree"
    (tree / "empty").mkdir(parents=True)
    (tree / "größe").write_text("x")
    (tree / "again").hardlink_to(tree / "größe")
    (tree / "link").symlink_to("größe")

    def digest(*options: str) -> str | None:
        command = ["tar", "-C", str(tree), "-cf", "-", *options]
        return members_digest(subprocess.run(command, check=True, capture_output=True).stdout)

    whole = digest("--format=gnu", ".")
    assert whole is not None
    assert digest("--format=posix", ".") == whole
    assert digest("--format=gnu", "--sort=name", "--owner=nobody", "--mtime=@5", ".") == whole
    assert digest("--hard-dereference", ".") == whole
    assert digest("--exclude=empty", ".") != whole
    (tree / "link").unlink()
    (tree / "link").symlink_to("again")
    assert digest(".") != whole


def many_members() -> bytes:
    return zipped({str(number): b"" for number in range(60_000)})


def bomb() -> bytes:
    return gzip.compress(bytes(MOST + 1))


def record(text: bytes) -> bytes:
    """A tar whose extended header says *text*."""
    archive = bytearray(tar({"x": text, "y": b""}))
    archive[156:157] = b"x"
    archive[148:156] = b" " * 8
    archive[148:155] = b"%06o\0" % sum(archive[:512])
    return bytes(archive)


def negative() -> bytes:
    """A member whose size is below 0, which sends some readers round and round."""
    archive = bytearray(tar(FILES))
    archive[124:136] = b"-0000001000\0"
    archive[148:156] = b" " * 8
    archive[148:155] = b"%06o\0" % sum(archive[:512])
    return bytes(archive)


def far_away(place: int) -> bytes:
    """A zip whose directory says that its member begins at *place*."""
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 45, 0, 0, 0, 0, 0, 1, 1, 1, 0) + b"ax"
    extra = struct.pack("<HHQ", 1, 8, place)
    numbers = (45, 3, 45, 0, 0, 0, 0, 0, 0, 1, 1, 1, len(extra), 0, 0, 0, 0, 0xFFFFFFFF)
    listed = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", *numbers) + b"a" + extra
    return local + listed + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(listed), len(local), 0)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"plain text",
        bytes(10_240),
        b"\x1f\x8b",
        b"PK\3\4",
        gzip.compress(b"text")[:-3],
        gzip.compress(b"text") + b"junk",
        tar(FILES)[:700],
        zipped(FILES)[:-30],
        bytes(MOST + 1),
        bomb(),
        gzip.compress(bomb()) + b"\x1f\x8b\x08",
        many_members(),
        negative(),
        record(b"5 x=\n" * 3 + b"99999999999999 path=y\n"),
        record(b"0 path=y\n"),
        record(b"11 size=9\n\n"),
        record(b" " * 600 + b"=\n"),
        record(b"1" * 400_000),
        far_away(2**63),
        far_away(2**64 - 1),
    ],
    ids=range(21),
)
def test_what_is_no_archive_or_a_broken_or_hostile_one_is_told_by_its_bytes(data: bytes) -> None:
    started = time.process_time()
    assert members_digest(data) is None
    assert time.process_time() - started < 5


def test_deep_paths_take_no_more_memory_than_the_archive() -> None:
    deep = tar({f"{number}{'/a' * 2000}": b"" for number in range(300)})
    tracemalloc.start()
    try:
        assert members_digest(deep) is not None
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_archives_share_what_may_come_out_of_them() -> None:
    """Else a thousand copies of a small one that holds much keep whoever judges them busy for minutes."""
    large, budget = gzip.compress(bytes(MOST // 2)), ReadingBudget()
    digests = [members_digest(large, budget) for _ in range(20)]
    assert digests[0] == members_digest(large)
    assert digests[-1] is None
    assert 10 < sum(digest is not None for digest in digests) < 20


def test_broken_archives_use_up_what_is_left_as_well() -> None:
    broken, budget = gzip.compress(bytes(MOST // 2))[:-8] + bytes(8), ReadingBudget()
    assert [members_digest(broken, budget) for _ in range(20)] == [None] * 20
    assert budget.left == 0


@given(st.sampled_from(DIFFERENT), st.integers(0, 2000), st.binary(max_size=20))
def test_no_bytes_break_it(archive: bytes, place: int, junk: bytes) -> None:
    members_digest(archive[:place] + junk + archive[place + len(junk) :])
