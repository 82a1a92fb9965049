"""The notebooks of docs/tutorials run, print what is stored in them, and are the pages of the site."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs/tutorials").glob("*.ipynb"))
SCRIPT = runpy.run_path(str(ROOT / "scripts/notebooks.py"))
VARYING = re.compile(r"\b\d+\.\d\d\b|@[0-9a-f]{16}\b")
"""Seconds, which alone have two decimals in the tables of a run, and the image of this machine."""


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def outputs(notebook: Any) -> list[str]:
    """What each cell with code prints."""
    return [VARYING.sub("_", SCRIPT["output"](cell)) for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_whole_and_its_page_is_that_of_today(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert len([text for text in outputs(notebook) if text]) >= 3
    assert path.with_suffix(".md").read_text() == SCRIPT["page"](notebook, path.name), "run scripts/notebooks.py"


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_is_stored_in_it(path: Path) -> None:
    assert outputs(SCRIPT["run"](path)) == outputs(read(path))
