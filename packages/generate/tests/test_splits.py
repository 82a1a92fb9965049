"""What is kept from whom."""

import pytest

from intercode.errors import UserError
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft, Family
from intercode_generate.splits import SPLITS, check, families_of, phrasings_of, words_of


def _make(draw: Draw, world: None, difficulty: Difficulty) -> Draft | None:
    return None


FAMILIES = [Family[None](f"topic/{number}", ("a", "b", "c"), _make) for number in range(20)]


def test_train_validation_and_test_share_no_word() -> None:
    words = list(range(53))
    train, validation, test = (set(words_of(words, split)) for split in ("train", "validation", "test-families"))
    assert train | validation | test == set(words)
    assert sum(map(len, (train, validation, test))) == len(words)


def test_a_fifth_of_the_families_is_only_in_test_families() -> None:
    held_out = {family.name for family in families_of(FAMILIES, "test-families", 7)}
    assert len(held_out) == 4
    for split in SPLITS:
        if split != "test-families":
            there = {family.name for family in families_of(FAMILIES, split, 7)}
            assert not there & held_out
            assert len(there) == 16
    assert held_out != {family.name for family in families_of(FAMILIES, "test-families", 8)}


def test_one_phrasing_of_each_family_is_only_in_test_phrasings() -> None:
    for family in FAMILIES:
        (held_out,) = phrasings_of(family, "test-phrasings", 7)
        for split in ("train", "validation", "test-parameters"):
            assert set(phrasings_of(family, check(split), 7)) == {0, 1, 2} - {held_out}


def test_a_split_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UserError, match="there are: train, validation, test-parameters"):
        check("test")
