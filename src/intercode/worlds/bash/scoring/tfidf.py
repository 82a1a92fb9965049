"""How alike two texts are: the cosine of their TF-IDF vectors, as the published reward computes it.

What scikit-learn's `TfidfVectorizer()` gives when it is fitted on exactly these two texts. The additions are made in
the order in which the version behind the published recordings made them (the newest token first; today's goes the other
way): where the similarity is 0.5, its last bit decides how the reward is rounded.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache, reduce
from operator import add, mul

_TOKEN = re.compile(r"\w\w+")
"""The same tokens as by scikit-learn's `\\b\\w\\w+\\b`, since a match is as long as it can be."""

_ASCII_WORDS = "".join(chr(code) if _TOKEN.match(chr(code) * 2) else " " for code in range(128))
_LONG = 4096
"""Characters of two texts that are not remembered."""

_IN_ONE = math.log(3 / 2) + 1
"""The smoothed inverse document frequency, ln((1 + texts) / (1 + texts with the token)) + 1; 1 for one in both."""


def similarity(first: str | None, second: str | None) -> float:
    """Return the cosine, from 0 to 1 (give or take the last bits). Where it is undefined, 1 if both are equal, else 0.

    It is undefined where a text is None or neither holds a token: two word characters or more in a row.
    """
    if first is None or second is None:
        return float(first == second)
    if len(first) + len(second) > _LONG:
        return _cosine(first, second)
    return _known_cosine(first, second)


def _cosine(first: str, second: str) -> float:
    left = _counts(first)
    right = left if second == first else _counts(second)
    if not left and not right:
        return float(first == second)
    common = [token for token in reversed(left) if token in right]
    left_length = _length([left[token] * (1.0 if token in right else _IN_ONE) for token in reversed(left)])
    right_only = [right[token] * _IN_ONE for token in reversed(right) if token not in left]
    right_length = _length(right_only + [right[token] for token in common])
    return _sum([(left[token] / left_length) * (right[token] / right_length) for token in common])


_known_cosine = lru_cache(maxsize=1024)(_cosine)


def _counts(text: str) -> dict[str, int]:
    """Return how often each token occurs, in the order of their first occurrence.

    Plain ASCII, the usual case, goes faster.
    """
    text = text.lower()
    if not text.isascii():
        return dict(Counter(_TOKEN.findall(text)))
    return dict(Counter([word for word in text.translate(_ASCII_WORDS).split() if len(word) > 1]))


def _length(weights: list[float]) -> float:
    return math.sqrt(_sum(list(map(mul, weights, weights))))


def _sum(values: list[float]) -> float:
    """Added one by one: since Python 3.12 the built-in `sum` mends the rounding errors that we want to keep."""
    return reduce(add, values, 0.0)
