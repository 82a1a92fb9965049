"""Tests are imported by the name of their file, and of the packages that it lies in: two files cannot share one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parent
FOLDERS = (TESTS, *TESTS.parent.glob("packages/*/tests"))


def test_no_two_test_modules_share_a_name() -> None:
    files = (path for folder in FOLDERS for path in folder.rglob("test_*.py"))
    found = Counter(imported_as(path) for path in files if "integrations" not in path.parts)
    assert [name for name, count in found.items() if count > 1] == []


def imported_as(path: Path) -> str:
    name, folder = path.stem, path.parent
    while (folder / "__init__.py").exists():
        name, folder = f"{folder.name}.{name}", folder.parent
    return name
