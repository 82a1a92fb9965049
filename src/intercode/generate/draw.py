"""Random draws that are the same on every machine and under every version of Python.

Only `Random.random` is promised to stay as it is; everything here is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A stream of draws that *key* decides: equal keys give equal streams."""

    def __init__(self, *key: object) -> None:
        self._next = Random("/".join(map(str, key))).random

    def integer(self, low: int, high: int) -> int:
        """A whole number from *low* to *high*, both included."""
        return low + int(self._next() * (high - low + 1))

    def chance(self, share: float) -> bool:
        """True in that *share* of draws."""
        return self._next() < share

    def pick(self, choices: Sequence[T]) -> T:
        """One of *choices*.

        Raises:
            IndexError: If there are none.
        """
        return choices[int(self._next() * len(choices))]

    def sample(self, choices: Sequence[T], count: int) -> list[T]:
        """*count* of *choices*, no place twice, in the order drawn; all of them where there are fewer."""
        left = list(choices)
        for index in range(min(count, len(left))):
            other = index + int(self._next() * (len(left) - index))
            left[index], left[other] = left[other], left[index]
        return left[:count]

    def shuffled(self, choices: Sequence[T]) -> list[T]:
        """All of *choices* in another order."""
        return self.sample(choices, len(choices))
