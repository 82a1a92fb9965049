"""Fixes between two releases: the gold earns 1, nothing 0, and nothing of the later release is in the agent's sight."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import intercode.env  # noqa: F401 - registers the environments
from intercode import registry
from intercode.datasets.repositories.patch_text import write_patch
from intercode.datasets.sdist_fixes.dataset import ROWS, SdistFixesDataset
from intercode.datasets.sources import SOURCES, folder_of
from intercode.errors import BadDataError, IntercodeError
from intercode.worlds.swe.env import SweEnv

OLD = {
    "PKG-INFO": "Metadata-Version: 2.1",
    "src/adder/__init__.py": "def add(a, b):\n    return a - b\n",
    "src/adder.egg-info/SOURCES.txt": "src",
    "tests/test_adder.py": "import adder\n\n\ndef test_zero():\n    assert adder.add(1, 0) == 1\n",
    ".gitignore": "*.log\n",
    "notes.log": "ignored",
}
FIXED = "def add(a, b):\n    return a + b"
NEW = {
    **OLD,
    "src/adder/__init__.py": FIXED,
    "src/adder/more.py": "",
    "docs/later.py": "# a later document\n",
    "tests/test_adder.py": f"{OLD['tests/test_adder.py']}\n\ndef test_sum():\n    assert adder.add(2, 3) == 5\n",
}


def pack(path: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Write a source distribution, and return what a row says of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"{path.name.removesuffix('.tar.gz')}/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return {"version": "1", "file": path.name, "sha256": sha256(path.read_bytes()).hexdigest()}


def test_the_set_has_a_name() -> None:
    assert registry.find("datasets", "sdist-fixes") is SdistFixesDataset


@pytest.fixture
def row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path))
    folder = tmp_path / "sdist-fixes"
    tests = [f"tests/test_adder.py::test_{name}" for name in ("sum", "zero")]
    return {
        "package": "adder",
        "before": pack(folder / f"adder-{tmp_path.name}.1.tar.gz", OLD),
        "after": pack(folder / f"adder-{tmp_path.name}.2.tar.gz", NEW),
        "path": ["src"],
        "licence": "MIT",
        "FAIL_TO_PASS": tests[:1],
        "PASS_TO_PASS": tests[1:],
        "query": "add(2, 3) is -1",
    }


def play(dataset: SdistFixesDataset, *actions: str) -> tuple[list[str], float]:
    """Play the first task; what was seen, and the reward."""
    env = SweEnv(dataset)
    try:
        env.reset(options={"task": dataset[0].id})
        seen = [str(env.step(action)[0]) for action in actions]
        return seen, float(env.step("submit")[1])
    finally:
        env.close()


def test_the_gold_earns_1_and_doing_nothing_0(row: dict[str, Any]) -> None:
    dataset = SdistFixesDataset(rows=[row])
    assert play(dataset)[1] == 0
    assert play(dataset, str(dataset[0].gold))[1] == 1
    assert play(dataset, "sed -i 's/a - b/b + a/' src/adder/__init__.py")[1] == 1


def test_the_agent_finds_one_commit_of_the_earlier_release_and_nothing_of_the_later(row: dict[str, Any]) -> None:
    """Its tests run as they are; what packing adds is not there."""
    look = [
        "git log --format=%s; git status --porcelain; ls -A",
        "python3 -m pytest -q 2>&1 | tail -1",
        "grep -rE 'test_sum|a [+] b' / --include=*.py -s -l | grep -c adder",
        "find / -name 'adder*.tar.gz' 2>/dev/null | wc -l",
    ]
    seen, _ = play(SdistFixesDataset(rows=[row]), *look)
    assert seen[0].split() == ["adder", "1", ".git", ".gitignore", "notes.log", "src", "tests"]
    assert "1 passed" in seen[1]
    assert [text.strip() for text in seen[2:]] == ["0", "0"]


def test_the_gold_holds_code_and_the_hidden_tests_hold_tests(row: dict[str, Any]) -> None:
    extra = SdistFixesDataset(rows=[row])[0].extra
    assert "docs/later.py" not in extra["patch"] + extra["test_patch"]
    assert "test_sum" in extra["test_patch"]
    assert "test_sum" not in extra["patch"]


def test_a_release_that_is_not_here_or_is_another_is_said_at_the_door(row: dict[str, Any]) -> None:
    path = folder_of("sdist-fixes") / row["after"]["file"]
    with pytest.raises(BadDataError, match="intercode data get sdist-fixes"):
        SdistFixesDataset(rows=[{**row, "after": {**row["after"], "file": "none.tar.gz"}}])
    with pytest.raises(BadDataError, match="pinned"):
        SdistFixesDataset(rows=[{**row, "after": {**row["after"], "sha256": "0" * 64}}])
    path.write_bytes(b"no archive")
    digest = sha256(b"no archive").hexdigest()
    other = path.with_name(f"other-{path.name}")
    shutil.copy(path, other)
    broken = SdistFixesDataset(rows=[{**row, "after": {**row["after"], "file": other.name, "sha256": digest}}])
    with pytest.raises(BadDataError, match="no source distribution"):
        broken[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a.py": b"1\n2\n"}, {"a.py": b"1\n3\n"}),
        ({"a.py": b"1\n2"}, {"a.py": b"1\n2\n"}),
        ({"a.py": b"1\n"}, {"a.py": b"1\n2"}),
        ({}, {"new/b c.py": b"x\r\ny\x0cz\n"}),
        ({"old.py": b"x\n"}, {}),
        ({"a.py": b"x\n"}, {"a.py": b""}),
    ],
)
def test_a_patch_that_is_written_is_one_that_git_applies(
    tmp_path: Path, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    for path, data in before.items():
        (tmp_path / path).write_bytes(data)
    patch = write_patch(before, after)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=tmp_path, input=patch.encode(), check=True)
    found = {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == after


def test_each_task_has_words_of_our_own_and_its_releases_are_pinned() -> None:
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    pinned = {file.name: file.sha256 for file in SOURCES["sdist-fixes"].files}
    for row in rows:
        assert len(row["query"]) > 60
        assert row["FAIL_TO_PASS"]
        assert {row[kind]["file"]: row[kind]["sha256"] for kind in ("before", "after")}.items() <= pinned.items()
    assert len({(row["package"], row["after"]["version"]) for row in rows}) == len(rows) > 0


def test_each_task_is_solved_by_its_gold_and_not_by_nothing() -> None:
    """Where the releases are: they are fetched by `intercode data get sdist-fixes`."""
    try:
        dataset = SdistFixesDataset()
    except IntercodeError as error:
        pytest.skip(str(error))
    with SweEnv(dataset) as env:
        for index in range(0, len(dataset), max(1, len(dataset) // 2)):
            rewards = []
            for action in ("true", str(dataset[index].gold)):
                env.reset(options={"task": dataset[index].id})
                env.step(action)
                rewards.append(float(env.step("submit")[1]))
            assert rewards == [0, 1], dataset[index].id
