"""The banks of a third and of a fourth author: what is found in them, and what was missed when they were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from data_set_bank import CLOSED, FOURTH_HOLES, FOURTH_SOUND, LATER_HOLES, LATER_SOUND
from test_bank_measure import FIGURES, check, marked, percent

pytestmark = pytest.mark.bank


@dataclass(frozen=True)
class Bank:
    """Its data sets; the holes `missed` when it was measured, and why; those of a kind that no bank before it has."""

    title: str
    holes: Sequence[str]
    sound: Sequence[str]
    missed: Mapping[str, str]
    new_kinds: Sequence[str] = ()
    still_missed: Sequence[str] = field(default=())

    @property
    def section(self) -> str:
        return FIGURES.read_text().partition(f"### {self.title}\n")[2].partition("\n## ")[0].partition("\n### ")[0]


THIRD = Bank(
    "By a third author",
    LATER_HOLES,
    LATER_SOUND,
    missed={
        "bash-config-keys": "nobody writes JSON with the keys that are asked for",
        "bash-fixture-left": "files are printed all together, or if the request names them",
        "bash-recount": "what is named is emptied, but nobody then says 0",
        "ctf-door-number": "flags that are guessed hold words",
        "ctf-flag-in-history": "flags are looked for in files of text",
        "python-passed-in-output": "`1 passed` is said among other words, and not last",
        "sql-clauses-in-text": "nobody names clauses and uses none",
        "sql-count-only": "whole tables are selected, or 60 rows",
    },
    new_kinds=("bash-config-keys", "bash-recount", "swe-no-assertion", "swe-right-file"),
)
FOURTH = Bank(
    "By a fourth author",
    FOURTH_HOLES,
    FOURTH_SOUND,
    missed={
        "bash-certificates": "a guess that is right is no fault of the reward",
        "bash-sales-by-region": "leftovers are printed, and not handed in as files",
        "ctf-margin-note": "flags that the request shows are left out",
        "python-slug-module": "nobody writes modules",
        "sql-duplicate-contacts": "nobody deletes as many rows as the gold",
        "sql-monthly-view": "nobody makes views with the names that are asked for",
        "swe-binary-sizes": "a constant is returned for all arguments, or none",
        "swe-invoice-golden": "nobody runs the repository's scripts",
    },
    still_missed=("bash-certificates", "sql-duplicate-contacts", "sql-monthly-view", "swe-invoice-golden"),
)
BANKS = (THIRD, FOURTH)
FOUND = [name for bank in BANKS for name in bank.holes if name not in bank.still_missed]
SOUND = [name for bank in BANKS for name in bank.sound]

SLOW = [name for name in FOUND if name.startswith(("swe-", "ctf-"))]
"""Those whose tests run for each attempt, or that have services."""


@pytest.mark.parametrize("name", marked(FOUND, SLOW))
def test_a_hole_of_a_later_bank_is_found_if_it_is_open(name: str, tmp_path: Path) -> None:
    """Nobody is paid where it was closed: the others show that somebody would be."""
    checks = check(name, tmp_path, stops_early=True)
    assert any(each.paid(each.scoring) for each in checks) is (name not in CLOSED)


@pytest.mark.parametrize("name", marked(SOUND, [name for name in SOUND if not name.startswith("sql")]))
def test_a_sound_data_set_of_a_later_bank_raises_no_alarm(name: str, tmp_path: Path) -> None:
    """All adversaries are played on all tasks."""
    checks = check(name, tmp_path, stops_early=False)
    assert [each.task for each in checks if not each.is_good] == []


@pytest.mark.parametrize("bank", BANKS, ids=[bank.title for bank in BANKS])
def test_the_figures_of_a_later_bank_are_documented(bank: Bank) -> None:
    assert {*bank.still_missed} <= {*bank.missed} <= {*bank.holes}
    holes, found = len(bank.holes), len(bank.holes) - len(bank.missed)
    assert f"| {found} of {holes} | {percent(found, holes)} |" in bank.section
    assert f"| 0 of {len(bank.sound)} | {percent(0, len(bank.sound))} |" in bank.section
    assert all(f"`{name}`" in bank.section for name in bank.missed)
    if bank.new_kinds:
        kinds, of_kinds = len(bank.new_kinds), len({*bank.new_kinds} - {*bank.missed})
        assert f"| {of_kinds} of {kinds} | {percent(of_kinds, kinds)} |" in bank.section
