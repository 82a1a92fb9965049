"""Every example runs as it stands, and says something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.stem for example in EXAMPLES])
def test_the_example_runs(example: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-W", "error", str(example)]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
