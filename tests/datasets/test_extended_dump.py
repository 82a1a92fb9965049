from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from intercode.datasets.databases.extended_dump import with_statements
from intercode.types.databases import DatabaseSource

THREADS, DUMP = 8, b"CREATE DATABASE shop;\n" * 100_000


def test_many_threads_extend_a_dump_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As the workers of a run do when it is the first: all find the same whole file, and no draft is left."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    dump = tmp_path / "dump.sql.gz"
    dump.write_bytes(gzip.compress(DUMP))
    barrier = Barrier(THREADS)

    def extend(number: int) -> DatabaseSource:
        barrier.wait()
        return with_statements(DatabaseSource("shop", dump), "USE shop;\n")

    with ThreadPoolExecutor(THREADS) as pool:
        (made,) = {source.path for source in pool.map(extend, range(THREADS))}
    assert made.read_bytes() == DUMP + b"USE shop;\n"
    assert list(made.parent.iterdir()) == [made]
