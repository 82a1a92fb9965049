"""Pages of the documentation that comments and messages point at."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("src/intercode", "packages", "scripts", "benchmarks", "examples")
MATERIAL = ROOT / "src/intercode/worlds/swe/starter"


def test_every_page_that_the_code_points_at_exists() -> None:
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py") if MATERIAL not in file.parents]
    named = {name for file in files for name in re.findall(r"\bdocs/[A-Za-z0-9_/-]+\.md", file.read_text("utf-8"))}
    assert len(named) > 10
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []
