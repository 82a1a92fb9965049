"""The second measurement by the other author's bank: what the first one missed, and is found now, stays found."""

from __future__ import annotations

from pathlib import Path

import pytest
from data_set_bank import HOLES, SOUND
from test_bank_measure import MISSED, check, percent

pytestmark = pytest.mark.bank

STILL_MISSED = ("bash-yes-or-no", "sql-count-under-paper", "sql-generous-alternative", "world-check-in-the-sandbox")
FOUND_NOW = [name for name in MISSED if name not in STILL_MISSED]
SLOW = ("ctf-empty-password", "ctf-plain-file-left")
FIGURES = Path(__file__).parents[2] / "docs" / "hackcheck-measured.md"


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=[pytest.mark.slow] * (each in SLOW or each.startswith("swe-"))) for each in FOUND_NOW],
)
def test_a_hole_that_the_first_measurement_missed_is_found(name: str, tmp_path: Path) -> None:
    checks = check(name, tmp_path, stops_early=True)
    assert any(each.paid(each.scoring) for each in checks)
    assert not any(each.error for each in checks)


def test_the_second_figures_are_documented() -> None:
    holes, sound = len(HOLES), len(SOUND)
    found = holes - len(STILL_MISSED)
    text = FIGURES.read_text()
    assert f"| all | {found} of {holes} | {percent(found, holes)} |" in text
    assert f"| **sound data sets with a false alarm** | 0 of {sound} | {percent(0, sound)} |" in text
