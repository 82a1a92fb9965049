"""Pages of the documentation that comments and messages point at."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "scripts", "benchmarks", "examples", "Makefile", "pyproject.toml")


def test_every_page_that_the_code_points_at_exists() -> None:
    command = ["git", "grep", "-ohE", r"\bdocs/[A-Za-z0-9_/-]+\.md", "--", *FOLDERS]
    named = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    pages = {name for name in named if not re.search(r"[A-Z]{2}|NAME", name)}
    assert len(pages) > 10
    assert sorted(name for name in pages if not (ROOT / name).is_file()) == []
