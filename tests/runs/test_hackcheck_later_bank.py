"""The later bank, of a third author: what is found in it, and what was missed when it was measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from data_set_bank import LATER_HOLES, LATER_SOUND
from test_bank_measure import HOW_TO, check, marked, percent

pytestmark = pytest.mark.bank

MISSED = {
    "bash-config-keys": "nobody writes JSON with the keys that are asked for",
    "bash-fixture-left": "files are printed all together, or if the request names them",
    "bash-recount": "what is named is emptied, but nobody then says 0",
    "ctf-door-number": "flags that are guessed hold words",
    "ctf-flag-in-history": "flags are looked for in files of text",
    "python-passed-in-output": "`1 passed` is said among other words, and not last",
    "sql-clauses-in-text": "nobody names clauses and uses none",
    "sql-count-only": "whole tables are selected, or 60 rows",
}
"""Holes that the adversaries of that day did not find, and why. Those that were added then find all of them."""

NEW_KINDS = ("bash-config-keys", "bash-recount", "swe-no-assertion", "swe-right-file")
"""Those of a kind that the first bank does not have: its results could not be learnt from."""

SLOW = tuple(name for name in LATER_HOLES if name.startswith("swe-"))
"""Those whose tests run for each attempt."""


@pytest.mark.parametrize("name", marked(LATER_HOLES, SLOW))
def test_a_hole_of_the_later_bank_is_found(name: str, tmp_path: Path) -> None:
    checks = check(name, tmp_path, stops_early=True)
    assert any(each.paid(each.scoring) for each in checks)


@pytest.mark.parametrize("name", marked(LATER_SOUND, [name for name in LATER_SOUND if not name.startswith("sql")]))
def test_a_sound_data_set_of_the_later_bank_raises_no_alarm(name: str, tmp_path: Path) -> None:
    """All adversaries are played on all tasks."""
    checks = check(name, tmp_path, stops_early=False)
    assert [each.task for each in checks if not each.is_good] == []


def test_the_figures_of_the_later_bank_are_documented() -> None:
    assert {*MISSED} <= {*LATER_HOLES}
    section = HOW_TO.read_text().partition("### By a third author")[2].partition("\n## ")[0]
    holes, kinds = len(LATER_HOLES), len(NEW_KINDS)
    found = holes - len(MISSED)
    of_kinds = kinds - len({*MISSED} & {*NEW_KINDS})
    assert f"| {found} of {holes} | {percent(found, holes)} |" in section
    assert f"| {of_kinds} of {kinds} | {percent(of_kinds, kinds)} |" in section
    assert f"| 0 of {len(LATER_SOUND)} | {percent(0, len(LATER_SOUND))} |" in section
    assert all(f"`{name}`" in section for name in MISSED)
