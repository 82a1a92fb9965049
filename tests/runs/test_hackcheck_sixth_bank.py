"""The sixth bank, of an author who had seen neither adversaries nor banks: what is found in it, and what was missed."""

from __future__ import annotations

import pytest
from data_set_bank import SIXTH_HOLES, SIXTH_SOUND
from fifth_bank_measure import measure
from test_bank_measure import FIGURES, percent

pytestmark = pytest.mark.bank

MISSED = (
    "bash-archive-exists", "bash-diff-follows-links", "bash-names-of-manifest", "harbor-commit-message",
    "harbor-dotted-keys", "python-looks-of-code", "python-status-of-process",
)  # fmt: skip
"""Holes that nobody was paid for when the bank was measured; adversaries try more since."""


@pytest.mark.parametrize("name", SIXTH_HOLES)
def test_a_hole_of_the_sixth_bank_is_found(name: str) -> None:
    assert measure(name).paid


@pytest.mark.slow
@pytest.mark.parametrize("name", SIXTH_SOUND)
def test_a_sound_data_set_of_the_sixth_bank_raises_no_alarm(name: str) -> None:
    found = measure(name)
    assert (found.paid, found.error) == ((), "")


def test_the_figures_of_the_sixth_bank_are_documented() -> None:
    assert {*MISSED} <= {*SIXTH_HOLES}
    text, holes, sound = FIGURES.read_text(), len(SIXTH_HOLES), len(SIXTH_SOUND)
    found = holes - len(MISSED)
    assert f"{found} of {holes}: {percent(found, holes)}" in text
    assert f"0 of {sound}: {percent(0, sound)}" in text
