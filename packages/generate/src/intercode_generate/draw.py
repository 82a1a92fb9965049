"""Random draws that are the same on every machine and under every version of Python.

Only `Random.random` is promised to stay as it is; everything here is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A stream of draws that *key* decides: equal keys give equal streams.

    Attributes:
        random: The next number of the stream, from 0 up to 1: every draw takes one or more of these.
    """

    def __init__(self, *key: object) -> None:
        self.random = Random("/".join(map(str, key))).random

    def integer(self, low: int, high: int) -> int:
        """Return a whole number from *low* to *high*, both included."""
        return low + int(self.random() * (high - low + 1))

    def chance(self, share: float) -> bool:
        """True in that *share* of draws."""
        return self.random() < share

    def pick(self, choices: Sequence[T]) -> T:
        """Return one of *choices*.

        Raises:
            IndexError: If there are none.
        """
        return choices[int(self.random() * len(choices))]

    def sample(self, choices: Sequence[T], count: int) -> list[T]:
        """Return *count* of *choices*, no place twice, in the order drawn; all of them where there are fewer."""
        left = list(choices)
        for index in range(min(count, len(left))):
            other = index + int(self.random() * (len(left) - index))
            left[index], left[other] = left[other], left[index]
        return left[:count]

    def shuffled(self, choices: Sequence[T]) -> list[T]:
        """Return all of *choices* in another order."""
        return self.sample(choices, len(choices))
