"""The reference says what the docstrings say."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_reference_is_made_from_the_docstrings_of_now() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_every_page_of_the_reference_is_one_that_is_made() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "reference.py"))
    assert {path.stem for path in made["FOLDER"].glob("*.md")} == made["PAGES"].keys()
