"""Every family of Python tasks: golds agree, tests know nearly right code, words say all that matters."""

from __future__ import annotations

import copy
import re

import pytest

from intercode_generate.draw import Draw
from intercode_generate.family import Draft, Family
from intercode_generate.python import world
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.registry import FAMILIES
from intercode_generate.python.world import PythonWorld

WORLD = world.make(Draw("families"), "train")

NAMES = {family.name: family for family in FAMILIES.all()}


def drafts(family: Family[PythonWorld], count: int = 2) -> list[Draft]:
    found = [
        family.make(Draw(family.name, level, attempt), WORLD, level)
        for level in family.difficulties
        for attempt in range(count)
    ]
    return [draft for draft in found if draft is not None]


def passes(draft: Draft, code: str) -> bool:
    """Whether *code* passes the hidden tests of *draft*, played here: it is all our own."""
    space: dict[str, object] = {}
    exec(code + str(draft.extra.get("test_setup_code", "")), space)
    try:
        for test in draft.extra["tests"]:
            exec(test, space)
    except Exception:  # noqa: BLE001 # nearly right code may fail in any way
        return False
    return True


def test_there_are_enough_families_of_enough_topics() -> None:
    assert len(NAMES) >= 40
    assert {"lists", "strings", "dicts", "dates", "graphs", "classes"} <= {family.topic for family in NAMES.values()}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_hidden_tests_tell_both_golds_from_all_near_misses(name: str) -> None:
    found = drafts(NAMES[name])
    assert found, "it finds nothing to ask"
    for draft in found:
        assert draft.gold != draft.second_gold
        assert passes(draft, draft.gold)
        assert passes(draft, draft.second_gold)
        assert len(draft.near_misses) >= 2
        assert not any(passes(draft, code) for code in draft.near_misses)
        assert 1 <= draft.steps <= 6


@pytest.mark.parametrize("name", sorted(NAMES))
def test_all_phrasings_say_all_that_matters(name: str) -> None:
    """They fill the same fields, so that none asks for more or less than another."""
    family = NAMES[name]
    fields = [set(re.findall(r"\{(\w+)\}", phrasing)) for phrasing in family.phrasings]
    assert all(each == fields[0] for each in fields)
    assert fields[0] <= set(drafts(family, 3)[0].values)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_family_asks_for_many_different_behaviours(name: str) -> None:
    """Names apart, no more than a few of its tasks are alike."""
    codes = [re.sub(r"\w+_\w+\(|class \w+", "", draft.gold, count=1) for draft in drafts(NAMES[name], 8)]
    assert len(set(codes)) > 0.8 * len(codes)


def test_arguments_for_tests_are_where_behaviours_change() -> None:
    inputs = Inputs(Draw("near"), [17])
    drawn = [inputs.integer() for _ in range(100)]
    assert {16, 17, 18, -17} <= set(drawn)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_golds_leave_their_arguments_as_they_were(name: str) -> None:
    """So the same arguments can be handed to several golds, as the drawing of tests does."""
    for draft in drafts(NAMES[name], 1):
        space: dict[str, object] = {}
        exec(draft.gold + str(draft.extra.get("test_setup_code", "")), space)
        for test in draft.extra["tests"]:
            call = test.removeprefix("assert ").partition("(")
            given = eval(f"[{call[2].rpartition(') == ')[0]}]")
            before = copy.deepcopy(given)
            space[call[0]](*given)  # type: ignore[operator]
            assert given == before
