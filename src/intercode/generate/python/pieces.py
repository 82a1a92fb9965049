"""Parts of a behaviour: in words, as code in two ways, and as code that is nearly right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent

_SLOT = re.compile(r"<(\w+)(?::([\w.\[\]]+))?>")


@dataclass(frozen=True, slots=True)
class Piece:
    """One part, `@` in its code standing for what it is about, and `#` in its words.

    Attributes:
        text: What a request says.
        one: An expression.
        other: The same in another way.
        wrong: Expressions that are nearly the same (off by one, a sign forgotten).
        numbers: Where the behaviour changes, so that tests ask there.
        letters: The same of texts.
        steps: How much there is to do.
    """

    text: str
    one: str
    other: str
    wrong: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    letters: str = ""
    steps: int = 1


def number(value: int, *, least: int | None = None) -> Piece:
    """A whole number. Nearly right is one more, and one less where that is not below *least*."""
    wrong = (value + 1, value - 1) if least is None or value > least else (value + 1,)
    text = str(value)
    return Piece(text, text, text, tuple(map(str, wrong)), (value,), steps=0)


def choice(text: str, one: str, wrong: str, *, other: str = "") -> Piece:
    """One of two ways to do something: nearly right is the other one."""
    return Piece(text, one, other or one, (wrong,), steps=0)


def fill(code: str, slots: Mapping[str, str]) -> str:
    """*code* with its slots filled: `<keep:each>` by the expression of `keep` about `each`.

    The code may be indented as a whole.
    """
    return _SLOT.sub(lambda found: slots[found[1]].replace("@", found[2] or ""), _dedented(code))


@lru_cache(maxsize=2048)
def _dedented(code: str) -> str:
    return dedent(code).strip() + "\n"
