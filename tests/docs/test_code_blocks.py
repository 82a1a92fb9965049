"""Every code block of the documentation runs, as a reader would run it: in an empty folder, with what is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^(<!-- norun -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = {"python": [sys.executable, "-W", "error", "-"], "sh": ["bash", "-eu"]}


def blocks(page: Path, language: str) -> str:
    """All blocks of a page in that language, one after the other, as one program."""
    return "\n".join(code for norun, name, code in BLOCK.findall(page.read_text()) if name == language and not norun)


CASES = [(page, language) for page in PAGES for language in PROGRAMS if blocks(page, language)]


def _case(page: Path, language: str) -> ParameterSet:
    """The README's are run by `make test`, the others by `make test-all`."""
    marks = () if page.parent == ROOT else (pytest.mark.slow,)
    return pytest.param(page, language, id=f"{page.relative_to(ROOT)}:{language}", marks=marks)


@pytest.mark.parametrize(("page", "language"), [_case(*case) for case in CASES])
def test_the_blocks_of_a_page_run(page: Path, language: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        PROGRAMS[language],
        input=blocks(page, language),
        text=True,
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "CI": "1"},
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_blocks_are_marked_by_a_comment_for_words_after_the_language_are_no_markdown() -> None:
    """The documentation site would show such a block as text."""
    for page in PAGES:
        assert not re.search(r"^```\w+ \w+$", page.read_text(), re.MULTILINE), page.name


def test_the_sandbox_that_is_shown_is_the_one_that_is_tested() -> None:
    """`tests/sandboxes/test_sandbox_of_your_own.py` has it keep the contract."""
    example = ROOT / "examples/sandbox_of_your_own.py"
    assert f"```python\n{example.read_text()}```" in (ROOT / "docs/how-to/add-a-sandbox.md").read_text()


def test_the_world_that_is_shown_is_the_one_that_is_tested() -> None:
    """`tests/cli/test_one_file_world.py` plays it everywhere."""
    example = ROOT / "examples/menu_world.py"
    assert f"```python\n{example.read_text()}```" in (ROOT / "docs/how-to/own-world.md").read_text()
