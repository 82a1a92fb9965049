"""Most holes that are planted in rewards are found; the others are known misses."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted_holes import UNSEEN, VISIBLE, Hole

from intercode.audit.hackcheck.adversaries import choose
from intercode.audit.hackcheck.check import HackCheck
from intercode.runs.job import prepare
from intercode.runs.settings import Settings

pytestmark = pytest.mark.bank

HOLES = (*VISIBLE, *UNSEEN)


LIKELY = ("says", "writes", "touches", "hands", "prints")
"""How the names of those begin that find most."""


def is_found(hole: Hole, folder: Path) -> bool:
    """Whether any adversary is paid; those that find most are first."""
    settings = Settings(dataset=str(hole.make(folder)), database="sqlite" if hole.world == "sql" else "")
    adversaries = sorted(choose(hole.world, []), key=lambda each: not each.name.startswith(LIKELY))
    with prepare(settings) as job, prepare(settings) as elsewhere:
        (check,) = HackCheck(job, elsewhere, adversaries, stops_early=True).run()
    assert not check.error
    return bool(check.paid("exact"))


@pytest.mark.parametrize("hole", HOLES, ids=[hole.name for hole in HOLES])
def test_a_planted_hole_is_found_or_known_to_be_missed(hole: Hole, tmp_path: Path) -> None:
    assert is_found(hole, tmp_path) is not hole.known_miss


def test_four_of_five_holes_are_found_and_a_third_was_written_after_the_adversaries() -> None:
    assert len(HOLES) >= 30
    assert len(UNSEEN) >= len(HOLES) / 3
    assert len({hole.name for hole in HOLES}) == len(HOLES)
    assert sum(not hole.known_miss for hole in HOLES) >= 0.8 * len(HOLES)
