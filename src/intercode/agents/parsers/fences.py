"""Code fences as models write them: three or more backquotes or tildes, a language or none, closed or cut short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

MARKS = ("```", "~~~")

COMMON = ("bash", "sh", "shell", "sql", "mysql", "python", "py")
"""Languages that models also name in a fence of one line, where a first word may as well be code."""


@dataclass(frozen=True, slots=True)
class Fence:
    """One block of code, which begins at the character `begins` of the text. `closed`: it has its end."""

    language: str
    code: str
    begins: int
    closed: bool = True


def fences(text: str, language: str = "") -> Iterator[Fence]:
    """Yield the blocks in *text*, in order. One pass over its lines, whatever is in them.

    In a block on one line the first word is code unless it is *language* or one of `COMMON`.
    """
    lines = text.split("\n")
    begins = list(accumulate((len(line) + 1 for line in lines), initial=0))
    number = 0
    while number < len(lines):
        begun = lines[number].lstrip()
        if not begun.startswith(MARKS):
            number += 1
            continue
        at_character = begins[number]
        mark = begun[: len(begun) - len(begun.lstrip(begun[0]))]
        info = begun[len(mark) :].strip()
        number += 1
        if info.endswith(mark):  # all on one line
            yield _inline(info.removesuffix(mark).strip(), at_character, (*COMMON, language))
            continue
        end = next((at for at in range(number, len(lines)) if lines[at].rstrip().endswith(mark)), None)
        code = lines[number:end]
        if end is not None and (rest := lines[end].rstrip().rstrip(mark[0])).strip():
            code.append(rest)  # `ls```: closed at the end of a line of code
        yield Fence(_language(info), "\n".join(code), at_character, end is not None)
        number = len(lines) if end is None else end + 1


def _inline(inside: str, begins: int, languages: Sequence[str]) -> Fence:
    word, blank, rest = inside.partition(" ")
    if blank and word.lower() in languages:
        return Fence(word.lower(), rest, begins)
    return Fence("", inside, begins)


def _language(info: str) -> str:
    """Return the first word of what stands behind the opening mark, without Pandoc's braces."""
    return (info.strip("{}. ").split() or [""])[0].lower()
