"""Tell whether a text gives the right answer, as somebody would read it out of there: paying that is no fault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_INSIDE = re.compile(
    r"<(\w+)>(?P<tag>[\s\S]*?)</\1>|\\boxed\{(?P<box>[^{}]*)\}|####\s*(?P<mark>.*)|(?:answer|result)\s*(?:is|:)\s*(?P<label>.*)"
    r"|```\w*\n(?P<fence>[\s\S]*?)```|[`'\"](?P<quote>[^`'\"\n]+)[`'\"]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_WORD = re.compile(r"\S+")
_LETTER = re.compile(r"\b[A-Z]\b")


def gives(text: str, answers: Sequence[str]) -> bool:
    """Return whether *text* says one of *answers*: as all of it, as its first or last word, number or line, or framed.

    Who says many things at once and has the answer somewhere between them does not give it.
    """
    said = {plain(each) for each in _readings(text)}
    return any(plain(answer) in said for answer in answers)


def plain(text: str) -> str:
    """Return *text* without what readers overlook: case, blanks, marks around it; a number in one way."""
    short = " ".join(text.casefold().split()).strip(" .,;:!?\"'`$*()[]{}")
    number = short.replace(",", "")
    try:
        return f"{float(number):.10g}" if _NUMBER.fullmatch(short) else short
    except ValueError:
        return short


def _readings(text: str) -> Iterator[str]:
    yield text
    inside = [next((group for group in match.groupdict().values() if group), "") for match in _INSIDE.finditer(text)]
    for part in (text, *_ends(inside)):
        yield part
        yield from _ends([line for line in part.splitlines() if line.strip()])
        for pattern in (_NUMBER, _WORD, _LETTER):
            yield from _ends([match[0] for match in pattern.finditer(part)])


def _ends(found: list[str]) -> list[str]:
    return [found[0], found[-1]] if found else []
