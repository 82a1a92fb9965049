"""Parquet files that we write are read as what was written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from intercode import datasets
from intercode.datasets.formats import read_records
from intercode.datasets.formats.parquet import write_parquet
from intercode.errors import BadDataError

ROWS: list[list[dict[str, Any]]] = [
    [{"a": "x", "b": 1}, {"a": "“y”\n", "b": -2}],
    [{"a": True}, {"a": False, "b": 0.5}],
    [{"a": ["x", "y"]}, {"a": []}, {"b": "only here"}],
    [{"a": {"deep": [1, None, {"x": []}]}}, {"a": "text"}, {"a": 1}, {"a": None}, {}],
    [{"a": 1 << 70}, {"a": 1}],
    [{"a": "half a character \udc80"}, {"a": "whole"}],
    [{"a": []}, {"a": []}],
]


@pytest.mark.parametrize("rows", ROWS, ids=range(len(ROWS)))
def test_records_are_read_as_they_were_written(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    write_parquet(rows, tmp_path / "new" / "tasks.parquet")
    found, _ = read_records(tmp_path / "new" / "tasks.parquet")
    assert [dict(each.columns) for each in found] == rows


def test_what_has_one_plain_type_is_a_column_of_it(tmp_path: Path) -> None:
    write_parquet([{"a": "x", "b": 1, "c": ["y"], "d": {"z": 1}}], tmp_path / "tasks.parquet")
    types = {field.name: str(field.type) for field in parquet.read_schema(tmp_path / "tasks.parquet")}
    assert types == {"a": "string", "b": "int64", "c": "list<element: string>", "d": "string"}


def test_what_is_no_json_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_parquet([{"a": object()}], tmp_path / "tasks.parquet")


def test_a_column_that_should_be_json_and_is_not_is_named_by_its_row(tmp_path: Path) -> None:
    path = tmp_path / "tasks.parquet"
    write_parquet([{"query": "a", "more": {}}], path)
    table = parquet.read_table(path)
    broken = table.set_column(1, table.schema.field("more"), [["{"]])
    parquet.write_table(broken, path)
    with pytest.raises(BadDataError, match="row 0 has a column that should be JSON"):
        datasets.load(str(path))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in Linux's /proc")
def test_reading_begins_no_threads(tmp_path: Path) -> None:
    """One that lets go of our bytes while Python ends would abort it."""
    write_parquet([{"query": "Say hi.", "gold": "echo hi"}], tmp_path / "tasks.parquet")
    code = (
        "import os, sys; from pathlib import Path; import pyarrow.parquet\n"
        "from intercode.datasets.formats.parquet import read_parquet\n"
        "path = Path(sys.argv[1]); threads = set(os.listdir('/proc/self/task'))\n"
        "print(len(read_parquet(path.read_bytes(), path)), *set(os.listdir('/proc/self/task')) - threads)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "tasks.parquet")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1\n"
