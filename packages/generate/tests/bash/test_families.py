"""Every family of Bash tasks, without running anything: `intercode certify` does that."""

from __future__ import annotations

import re

import pytest

from intercode_generate.bash.build import build
from intercode_generate.bash.registry import FAMILIES
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Draft, Family

WORLDS = [build(Draw("families", number), "train") for number in range(12)]

NAMES = {family.name: family for family in FAMILIES.all()}


def drafts(family: Family[BashWorld]) -> list[Draft]:
    found = []
    for number, world in enumerate(WORLDS):
        for level in family.difficulties:
            for attempt in range(4):
                draft = family.make(Draw(family.name, number, level, attempt), world, level)
                if draft is not None:
                    found.append(draft)
    return found


def test_there_are_enough_families_of_enough_topics() -> None:
    assert len(NAMES) >= 60
    assert len({family.topic for family in NAMES.values()}) >= 10


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_family_drafts_tasks_that_can_be_told_from_others(name: str) -> None:
    """Its second gold is another text, its near misses are none of the golds, and its steps are 1 to 6."""
    found = drafts(NAMES[name])
    assert found, "it finds nothing to ask in a dozen worlds"
    for draft in found:
        assert draft.gold != draft.second_gold
        assert len(draft.near_misses) >= 2
        assert not {draft.gold, draft.second_gold} & set(draft.near_misses)
        assert 1 <= draft.steps <= 6


@pytest.mark.parametrize("name", sorted(NAMES))
def test_all_phrasings_say_all_that_matters(name: str) -> None:
    """They fill the same fields, so that none asks for more or less than another."""
    family = NAMES[name]
    fields = [set(re.findall(r"\{(\w+)\}", phrasing)) for phrasing in family.phrasings]
    assert all(each == fields[0] for each in fields)
    assert fields[0] == set(drafts(family)[0].values)
