"""Every correction and exclusion in the published set of capture the flag stands in the docs, with its reason."""

from __future__ import annotations

import re
from pathlib import Path

from intercode.worlds.ctf.datasets.ctf.published_challenges import CORRECTED, EXCLUDED, SETUP_LEFT_OUT

SCORING = Path(__file__).parents[2] / "docs" / "scoring.md"


def rows(header: str) -> list[list[str]]:
    """The cells of the one table whose first line is *header*, code marks and escapes taken off."""
    (table,) = re.findall(re.escape(header) + r"\n\|[-|]+\|\n((?:\|.*\|\n)+)", SCORING.read_text(encoding="utf-8"))
    cells = [re.split(r"(?<!\\)\|", line.strip("|")) for line in table.splitlines()]
    return [[cell.strip().replace("\\|", "|") for cell in row] for row in cells]


def test_every_correction_is_told() -> None:
    published = {
        int(task): (old.strip("`"), new.strip("`"), why)
        for task, old, new, why in rows("| task | published | `exact` | why |")
    }
    assert published == {number: (each.published, each.flag, each.reason) for number, each in CORRECTED.items()}


def test_every_exclusion_is_told() -> None:
    published = {int(task): why for tasks, why in rows("| tasks | why |") for task in tasks.split()}
    assert published == EXCLUDED


def test_every_set_up_that_is_left_out_is_told() -> None:
    assert {int(task): what for task, what in rows("| task | what it does |")} == SETUP_LEFT_OUT
