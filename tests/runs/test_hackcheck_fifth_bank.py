"""The fifth bank, of Harbor's tasks and graded folders: what is found in it, and what was missed at first."""

from __future__ import annotations

import pytest
from data_set_bank import DESCRIBED_HOLES, FIFTH_HOLES, FIFTH_SOUND
from fifth_bank_measure import measure
from test_bank_measure import FIGURES, percent

pytestmark = pytest.mark.bank

MISSED = (
    "bash-changes-counted", "bash-headings", "grade-checksum-beside", "grade-evaluated-answer", "grade-magic-number",
    "grade-newer-than", "grade-own-metrics", "grade-shape-of-list", "harbor-example-only", "harbor-expected-in-image",
    "harbor-line-count", "harbor-shadowed-program", "harbor-status-field", "harbor-wide-tolerance",
    "python-three-pieces",
)  # fmt: skip
"""Holes that nobody was paid for when the bank was measured; adversaries were added for their classes since."""

ALARMS = ("bash-answer-alone", "sql-table-as-it-should-be")
"""Sound data sets that paid somebody then."""


@pytest.mark.parametrize("name", [*FIFTH_HOLES, *DESCRIBED_HOLES])
def test_a_hole_of_the_fifth_bank_is_found(name: str) -> None:
    assert measure(name).paid


@pytest.mark.slow
@pytest.mark.parametrize("name", FIFTH_SOUND)
def test_a_sound_data_set_of_the_fifth_bank_raises_no_alarm(name: str) -> None:
    found = measure(name)
    assert (found.paid, found.error) == ((), "")


def test_the_figures_of_the_fifth_bank_are_documented() -> None:
    assert {*MISSED} <= {*FIFTH_HOLES}
    assert {*ALARMS} <= {*FIFTH_SOUND}
    text, holes, sound = FIGURES.read_text(), len(FIFTH_HOLES), len(FIFTH_SOUND)
    found = holes - len(MISSED)
    assert f"{found} of {holes}: {percent(found, holes)}" in text
    assert f"{len(ALARMS)} of {sound}: {percent(len(ALARMS), sound)}" in text
