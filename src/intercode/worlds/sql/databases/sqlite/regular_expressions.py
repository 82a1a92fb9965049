"""MySQL's functions of regular expressions: each takes the seconds that it has, then its texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import regex

from intercode.worlds.sql.databases.sqlite.coercion import LONGEST

LONGEST_PATTERN = 10_000
"""Characters of a regular expression: to compile one cannot be stopped."""


@lru_cache(maxsize=256)
def _compile(pattern: str) -> regex.Pattern[str]:
    """MySQL's *pattern*; case does not count. Raises regex.error."""
    if len(pattern) > LONGEST_PATTERN:
        raise regex.error("the pattern is too long")
    return regex.compile(regex.sub(r"\[\[:(<|>):\]\]", r"\\b", pattern), regex.IGNORECASE)


def _finds(seconds: float, pattern: str, text: str) -> int:
    return int(_compile(pattern).search(text, timeout=seconds, concurrent=True) is not None)


def _is_like(seconds: float, text: str, pattern: str, *_: str) -> int:
    return _finds(seconds, pattern, text)


def _replace(seconds: float, text: str, pattern: str, new: str, *_: str) -> str:
    if (len(text) + 1) * len(new) > LONGEST:
        raise OverflowError("the result may be too large")
    return str(_compile(pattern).sub(new, text, timeout=seconds, concurrent=True))


FUNCTIONS: dict[str, Callable[..., str | int]] = {
    "regexp": _finds,
    "regexp_like": _is_like,
    "regexp_replace": _replace,
}
