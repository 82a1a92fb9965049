"""Every family of SQL tasks, tried on the plain engine: `intercode certify` plays them on the world's databases."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from intercode_generate.draw import Draw
from intercode_generate.family import Draft, Family
from intercode_generate.sql.build import build
from intercode_generate.sql.engine import is_ordered
from intercode_generate.sql.registry import FAMILIES
from intercode_generate.sql.schema import SqlWorld

WORLDS = [build(Draw("families", number), "train") for number in range(8)]

NAMES = {family.name: family for family in FAMILIES.all()}


def drafts(family: Family[SqlWorld]) -> list[tuple[SqlWorld, Draft]]:
    found = []
    for number, world in enumerate(WORLDS):
        for level in family.difficulties:
            draft = family.make(Draw(family.name, number, level), world, level)
            if draft is not None:
                found.append((world, draft))
    return found


def test_there_are_enough_families_of_enough_topics() -> None:
    assert len(NAMES) >= 60
    assert len({family.topic for family in NAMES.values()}) >= 10


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_family_drafts_tasks_whose_two_golds_agree(name: str) -> None:
    """Two texts, one ending; near misses are none of the golds, and the steps are 1 to 6."""
    found = drafts(NAMES[name])
    assert len(found) >= 5, "it finds too little to ask"
    for world, draft in found:
        assert draft.gold != draft.second_gold
        assert len(draft.near_misses) >= 2
        assert not {draft.gold, draft.second_gold} & set(draft.near_misses)
        assert 1 <= draft.steps <= 8
        if not re.match(r"UPDATE \w+ JOIN|DELETE \w+ FROM", draft.second_gold):
            assert agree(world, draft), f"{draft.gold}\n{draft.second_gold}"


def agree(world: SqlWorld, draft: Draft) -> bool:
    engine = world.engine
    if not draft.gold.startswith("SELECT"):
        return engine.state_after(draft.gold) == engine.state_after(draft.second_gold)
    one, other = engine.rows(draft.gold), engine.rows(draft.second_gold)
    return one == other if is_ordered(draft.gold) else Counter(one) == Counter(other)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_all_phrasings_say_all_that_matters(name: str) -> None:
    """They fill the same fields, so that none asks for more or less than another."""
    family = NAMES[name]
    fields = [set(re.findall(r"\{(\w+)\}", phrasing)) for phrasing in family.phrasings]
    assert all(each == fields[0] for each in fields)
    assert fields[0] == set(drafts(family)[0][1].values)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_request_says_in_which_order_the_rows_are_wanted(name: str) -> None:
    """Any order, or one that a key makes complete; a single row has none."""
    for world, draft in drafts(NAMES[name]):
        if not draft.gold.startswith("SELECT") or len(world.engine.rows(draft.gold)) == 1:
            continue
        order = r"sort|order|first|in the places|pairs of names"
        assert all(re.search(order, phrasing, re.IGNORECASE) for phrasing in NAMES[name].phrasings)
