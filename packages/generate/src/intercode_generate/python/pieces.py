"""Parts of a behaviour: in words, as code in two ways, and as code that is nearly right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from textwrap import dedent
from typing import NamedTuple

_SLOT = re.compile(r"<(\w+)(?::([\w.\[\]]+))?>")


class Piece(NamedTuple):
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
    """Return a whole number. Nearly right is one more, and one less where that is not below *least*."""
    wrong = (value + 1, value - 1) if least is None or value > least else (value + 1,)
    text = str(value)
    return Piece(text, text, text, tuple(map(str, wrong)), (value,), steps=0)


def choice(text: str, one: str, wrong: str, *, other: str = "") -> Piece:
    """Return one of two ways to do something: nearly right is the other one."""
    return Piece(text, one, other or one, (wrong,), steps=0)


class Code:
    """Code of which each slot is filled: `<keep:each>` by the expression of `keep` about `each`.

    Attributes:
        template: The code with slots. It may be indented as a whole.
        slots: What fills them.
        text: The code as it comes out.
    """

    def __init__(self, template: str, slots: Mapping[str, str]) -> None:
        self.template, self.slots = template, slots
        filled = [
            before + slots[name].replace("@", target) if name else before for before, name, target in parts(template)
        ]
        self.text = "".join(filled)


@lru_cache(maxsize=2048)
def parts(template: str) -> tuple[tuple[str, str, str], ...]:
    """Return the text before each slot, its name, and what it is about; at last the text after all, without a name."""
    split = [each or "" for each in _SLOT.split(dedent(template).strip() + "\n")] + ["", ""]
    return tuple(zip(split[::3], split[1::3], split[2::3], strict=True))
