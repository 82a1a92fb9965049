"""The page that leads newcomers through the code leads to files that are there, and that can be read in an hour."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_ten_files_are_there_and_short() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    files = re.findall(r"^\| `(\S+\.py)` \|", page, re.MULTILINE)
    assert len(files) == 10
    assert sum(len((ROOT / file).read_text().splitlines()) for file in files) <= 1500
