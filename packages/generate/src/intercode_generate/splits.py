"""What is kept from whom: parameters, phrasings and families that only test sets have.

| split             | parameters | phrasings    | families     |
|-------------------|------------|--------------|--------------|
| `train`           | training   | training     | training     |
| `validation`      | validation | training     | training     |
| `test-parameters` | test       | training     | training     |
| `test-phrasings`  | test       | **held out** | training     |
| `test-families`   | test       | all          | **held out** |

Parameters are the names of folders, files, people and keys: each list of words is cut into three. Which phrasing of a
family and which families are held out is drawn by the seed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Literal, TypeVar, get_args

from intercode.errors import UserError
from intercode_generate.family import Difficulty, Family

Split = Literal["train", "validation", "test-parameters", "test-phrasings", "test-families"]

SPLITS: tuple[Split, ...] = get_args(Split)

HELD_OUT = 5
"""One family of so many is held out of training."""

_SHARE = {"train": (0, 1, 2), "validation": (3,)}
"""Of each five words those that training and validation have; the test sets share the last."""

T = TypeVar("T")
World = TypeVar("World")


def check(split: str) -> Split:
    """Return *split* if there is one of that name.

    Raises:
        UserError: If there is none. Lists them.
    """
    for known in SPLITS:
        if split == known:
            return known
    raise UserError(f"no split called {split!r}; there are: {', '.join(SPLITS)}")


def words_of(words: Sequence[T], split: Split) -> Sequence[T]:
    """Return those of *words* that tasks of *split* may use: no two of train, validation and test share one."""
    taken = _SHARE.get(split, (4,))
    return [word for place, word in enumerate(words) if place % 5 in taken]


def families_of(
    families: Sequence[Family[World]], split: Split, seed: int, difficulty: Difficulty | None = None
) -> Sequence[Family[World]]:
    """Return the families of *split*; of those only the ones that have tasks of *difficulty*, if one is given."""
    held_out = _held_out(tuple(family.name for family in families), seed)
    return [
        family
        for family in families
        if (family.name in held_out) == (split == "test-families")
        and (difficulty is None or difficulty in family.difficulties)
    ]


@lru_cache(maxsize=64)
def _held_out(names: Sequence[str], seed: int) -> Collection[str]:
    """Return those of the families called *names* that only `test-families` has."""
    return frozenset(sorted(names, key=lambda name: _digest(seed, name))[: len(names) // HELD_OUT])


def phrasings_of(family: Family[World], split: Split, seed: int) -> Sequence[int]:
    """Return the numbers of the phrasings of *family* that tasks of *split* may have."""
    everything = range(len(family.phrasings))
    held_out = _digest(seed, family.name, "phrasing") % len(family.phrasings)
    if split == "test-families":
        return everything
    if split == "test-phrasings":
        return (held_out,)
    return [number for number in everything if number != held_out]


@lru_cache(maxsize=4096)
def _digest(*parts: object) -> int:
    return int.from_bytes(sha256("/".join(map(str, parts)).encode()).digest()[:8], "big")
