"""The space of texts: any string at all. Gymnasium's own `Text` refuses line breaks and accents."""

from __future__ import annotations

import multiprocessing
import string
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.vector.utils import (
    create_empty_array,
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)

from intercode.env.shared_texts import PLACE, SharedTexts

LETTERS = string.ascii_letters + string.digits + " \nàéîõüß漢字"
"""What samples are made of: nothing that a shell takes for more than words, so a random action does no harm."""


class TextSpace(Space[str]):
    """Every `str`. Samples have up to *longest* characters out of `LETTERS`.

    All text spaces are equal, however long their samples are. In a vector environment a batch is a tuple of strings.
    """

    def __init__(self, longest: int = 40, *, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)
        self.longest = longest

    @property
    def is_np_flattenable(self) -> bool:
        """No: text has no fixed size."""
        return False

    def sample(self, mask: None = None, probability: None = None) -> str:
        """Return a random text. Masks mean nothing here and are refused with a ValueError."""
        if mask is not None or probability is not None:
            raise ValueError("a space of texts takes no mask and no probability")
        length = int(self.np_random.integers(0, self.longest + 1))
        return "".join(LETTERS[index] for index in self.np_random.integers(0, len(LETTERS), length))

    def contains(self, x: Any) -> bool:
        """Return whether *x* is a string."""
        return isinstance(x, str)

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """Texts are JSON already."""
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[str]:
        """Return the reverse of `to_jsonable`."""
        return [str(sample) for sample in sample_n]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextSpace)

    def __hash__(self) -> int:
        return hash(TextSpace)

    def __repr__(self) -> str:
        return "TextSpace()"


@create_empty_array.register(TextSpace)
def _empty_texts(space: TextSpace, n: int = 1, fn: Callable[..., Any] = np.zeros) -> tuple[str, ...]:
    """Return what a vector environment holds before its first reset."""
    return ("",) * n


@create_shared_memory.register(TextSpace)
def _make_shared_array(space: TextSpace, n: int = 1, ctx: ModuleType = multiprocessing) -> Any:
    return ctx.RawArray("c", n * PLACE)


@read_from_shared_memory.register(TextSpace)
def _read_shared_array(space: TextSpace, shared_memory: Any, n: int = 1) -> SharedTexts:
    return SharedTexts(shared_memory)


@write_to_shared_memory.register(TextSpace)
def _write(space: TextSpace, index: int, value: str, shared_memory: Any) -> None:
    SharedTexts(shared_memory).put(index, value)
