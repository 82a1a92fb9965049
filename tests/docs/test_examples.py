"""Every example runs, as someone would run it who has just installed the package.

Two have their own tests: the one that is a folder (`test_learning_curve.py`), and the one that needs a peer's package
(`tests/integrations/mini`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = {
    ".py": [sys.executable, "-W", "error"],
    ".toml": [str(Path(sys.executable).with_name("intercode")), "sweep"],
}


HERE = sorted(path for path in EXAMPLES.iterdir() if path.is_file() and path.name != "mini_swe_agent.py")


@pytest.mark.parametrize("path", HERE, ids=lambda path: path.name)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAMS[path.suffix], str(path)],
        cwd=tmp_path,
        env={**os.environ, "CI": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.strip()


def test_the_page_of_examples_names_each() -> None:
    page = (EXAMPLES.parent / "docs/examples.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    there = [f"{path.name}/" if path.is_dir() else path.name for path in EXAMPLES.iterdir() if path.name[0] != "_"]
    assert sorted(named) == sorted(there)
