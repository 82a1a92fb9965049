"""The space of texts takes every text, and gymnasium's tools take the space."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest
from gymnasium.spaces import Dict, Tuple
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from intercode.env.spaces import TextSpace


def test_every_text_is_in_it() -> None:
    """Gymnasium's own `Text` refuses most of these."""
    for text in ("", "\n", "é", "漢字", "\0", "\ud800", "x" * 1_000_000):
        assert text in TextSpace()


def test_nothing_else_is() -> None:
    for thing in (None, 5, b"bytes", ["a"], np.array("a")):
        assert thing not in TextSpace()


def test_samples_follow_from_the_seed() -> None:
    samples = []
    for seed in (1, 1, 2):
        space = TextSpace(seed=seed)
        samples.append([space.sample() for _ in range(20)])
    assert samples[0] == samples[1] != samples[2]
    assert all(text in TextSpace() for text in samples[0])
    assert max(map(len, samples[0])) <= 40


def test_samples_show_what_texts_can_hold() -> None:
    """Line breaks, accents, and nothing at all are among them."""
    space = TextSpace(5, seed=0)
    samples = [space.sample() for _ in range(500)]
    assert "" in samples
    assert any("\n" in text for text in samples)
    assert any(not text.isascii() for text in samples)


def test_masks_are_refused() -> None:
    with pytest.raises(ValueError, match="no mask"):
        TextSpace().sample(mask=1)  # type: ignore[arg-type]


def test_all_text_spaces_are_equal() -> None:
    assert TextSpace(5) == TextSpace(50)
    assert hash(TextSpace(5)) == hash(TextSpace(50))
    assert TextSpace() != "TextSpace()"


def test_it_can_be_copied_and_pickled_with_its_state() -> None:
    space = TextSpace(seed=3)
    space.sample()
    for twin in (deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert twin == space
        assert deepcopy(twin).sample() == deepcopy(space).sample()


def test_it_goes_through_json() -> None:
    space = TextSpace()
    assert space.from_jsonable(space.to_jsonable(("a\n", "é"))) == ["a\n", "é"]
    assert not space.is_np_flattenable


def test_a_batch_is_a_tuple_of_texts() -> None:
    space = TextSpace(seed=1)
    batch = batch_space(space, 3)
    empty = create_empty_array(space, 3)
    assert empty == ("", "", "")
    assert concatenate(space, ["a", "b\n", "é"], empty) == ("a", "b\n", "é")
    assert list(iterate(batch, ("a", "b", "c"))) == ["a", "b", "c"]
    assert len(set(batch.sample())) == 3


def test_it_can_be_part_of_other_spaces() -> None:
    space = Dict({"text": TextSpace(), "pair": Tuple((TextSpace(), TextSpace()))}, seed=1)
    assert space.contains(space.sample())
