"""Small changes to a gold that should make it wrong: another number, another comparison, a flag left out.

Nothing says that a mutant really is wrong: `head -n 100` of five lines is `head -n 101`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST = 6
"""Mutants of one gold."""

_NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?![\w.])")
_FLAG = re.compile(r" -{1,2}[A-Za-z][\w-]*(?=[ |;)\n]|$)")

_SWAPS = {
    "bash": (("head", "tail"), ("sort -r", "sort"), (" | sort", ""), (">>", ">"), ("-newer", "! -newer"), ("cp", "mv")),
    "sql": (("ASC", "DESC"), ("MIN(", "MAX("), ("<=", "<"), (">=", ">"), (" AND ", " OR "), ("DISTINCT ", "")),
    "python": (("<=", "<"), (">=", ">"), (" == ", " != "), (" and ", " or "), ("not ", ""), ("min(", "max(")),
}
"""Texts that are put in each other's place, by the language of a world."""


def mutants(gold: str, language: str) -> Iterator[str]:
    """At most `MOST` of them, all different, and none equal to *gold*."""
    found = dict.fromkeys([*_swapped(gold, language), *_counted(gold), *(_without_flags(gold, language))])
    found.pop(gold, None)
    yield from [text for text in found if text.strip()][:MOST]


def _swapped(gold: str, language: str) -> Iterator[str]:
    for one, other in _SWAPS.get(language, ()):
        for here, there in ((one, other), (other, one)):
            at = gold.upper().find(here.upper()) if language == "sql" else gold.find(here)
            if here and at >= 0:
                yield gold[:at] + there + gold[at + len(here) :]
                break


def _counted(gold: str) -> Iterator[str]:
    """Yield *gold* with one of its numbers higher by one."""
    for match in list(_NUMBER.finditer(gold))[:3]:
        yield f"{gold[: match.start()]}{int(match[0]) + 1}{gold[match.end() :]}"


def _without_flags(gold: str, language: str) -> Iterator[str]:
    if language == "bash":
        for match in list(_FLAG.finditer(gold))[:3]:
            yield gold[: match.start()] + gold[match.end() :]
