"""Arguments for hidden tests: drawn at random, with a liking for where behaviours change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from itertools import permutations

from intercode_generate.draw import Draw


def listed(text: str) -> tuple[str, ...]:
    """Return the words of *text*."""
    return tuple(text.split())


WORDS = listed(
    "a an apple area bee beetle book cab cabbage dad data deed eel egg elm fig fog goose gum hat hill ice idea ink jam "
    "joy "
    "kayak keel lamp level lily moon mum neon noon oak oboe pear poppy quay quiz radar rose salt sea seed tea tree "
    "ugly "
    "under vase vivid wasp wood yarn yes zebra zoo"
)
"""Small letters only; palindromes, doubled letters and beginnings of each other among them."""

NODES = tuple("abcdefgh")

FIRST_DAY = date(2019, 1, 1)


class Inputs:
    """Draws arguments; *numbers* and *letters* are where the asked behaviour changes."""

    def __init__(self, draw: Draw, numbers: Sequence[int] = (), letters: str = "") -> None:
        self.draw = draw
        self._near = [value + shift for value in numbers for shift in (-1, 0, 1)] + [-value for value in numbers]
        self._random = draw.random
        self._letters = letters + "aeltz"

    def integer(self, low: int = -30, high: int = 30) -> int:
        """Return a number, within *low* and *high*."""
        # Most draws are made here: they are written out.
        random, near = self._random, self._near
        if near and random() < 0.4:
            value = near[int(random() * len(near))]
            return value if low <= value <= high else max(low, min(high, value))
        if random() < 0.5:
            low = low if low > -9 else -9
            high = high if high < 9 else 9
        return low + int(random() * (high - low + 1))

    def integers(self, least: int = 0, most: int = 9, low: int = -130, high: int = 130) -> list[int]:
        """Numbers, some of them repeated."""
        found = [self.integer(low, high) for _ in range(self.draw.integer(least, most))]
        if len(found) > 1 and self.draw.chance(0.5):
            found[self.draw.integer(0, len(found) - 1)] = found[0]
        return found

    def word(self) -> str:
        """Return a word of small letters, never empty."""
        random, letters = self._random, self._letters
        if random() < 0.6:
            return WORDS[int(random() * len(WORDS))]
        return "".join([letters[int(random() * len(letters))] for _ in range(self.draw.integer(1, 7))])

    def words(self, least: int = 0, most: int = 7) -> list[str]:
        """Words, some of them repeated."""
        found = [self.word() for _ in range(self.draw.integer(least, most))]
        if len(found) > 1 and self.draw.chance(0.5):
            found[-1] = found[0]
        return found

    def text(self, letters: str, least: int = 0, most: int = 12) -> str:
        """Characters out of *letters*."""
        random = self._random
        return "".join([letters[int(random() * len(letters))] for _ in range(self.draw.integer(least, most))])

    def counts(self, most: int = 5, low: int = -9, high: int = 30) -> dict[str, int]:
        """Numbers by words."""
        return {word: self.integer(low, high) for word in self.words(0, most)}

    def day(self, span: int = 800) -> str:
        """Return a date `YYYY-MM-DD`, often at the end of a month."""
        found = FIRST_DAY + timedelta(days=self.draw.integer(0, span))
        if self.draw.chance(0.3):
            found = found.replace(day=1) - timedelta(days=self.draw.integer(0, 1))
        return found.isoformat()

    def edges(self, most: int = 9, nodes: int = 6) -> list[list[str]]:
        """Pairs of nodes, no pair twice, and none of a node with itself."""
        return [list(pair) for pair in self.draw.sample(_pairs(nodes), self.draw.integer(0, most))]


@cache
def _pairs(nodes: int) -> Sequence[tuple[str, str]]:
    """Return all pairs of that many nodes."""
    return tuple(permutations(NODES[:nodes], 2))
