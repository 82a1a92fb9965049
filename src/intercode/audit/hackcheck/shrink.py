"""The smallest moves that are still paid: first fewer actions, then shorter ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from intercode.types import Action

MOST_PLAYS = 40
"""Episodes that are played to make one trajectory smaller."""

IsPaid = Callable[[Sequence[Action]], bool]
Piece = TypeVar("Piece")


def shrink(moves: Sequence[Action], is_paid: IsPaid, plays: int = MOST_PLAYS) -> tuple[Action, ...]:
    """Return the smallest part of *moves* that is still paid.

    Args:
        moves: Actions that were paid, in their order.
        is_paid: Whether such actions are, when they are played.
        plays: How often that may be asked.
    """
    asks = _Asked(is_paid, plays)
    found = _fewest(moves, asks)
    for number, action in enumerate(found):
        found[number] = _shorten(action, partial(_is_paid_with, asks, found, number))
    return tuple(found)


@dataclass
class _Asked:
    """Says no once *left* questions were asked."""

    is_paid: IsPaid
    left: int

    def __call__(self, moves: Sequence[Action]) -> bool:
        self.left -= 1
        return self.left >= 0 and self.is_paid(moves)


def _is_paid_with(asks: _Asked, moves: Sequence[Action], place: int, text: str) -> bool:
    """Return whether *text* in the place of one action is paid; text that lost one quote of a pair is not tried.

    Words that stood between quotes would be run as programs: `yes` ends with the time limit.
    """
    if _odd_quotes(text) != _odd_quotes(moves[place].text):
        return False
    return asks([*moves[:place], Action(moves[place].kind, text), *moves[place + 1 :]])


def _odd_quotes(text: str) -> list[bool]:
    return [text.count(quote) % 2 == 1 for quote in "'\""]


def _shorten(action: Action, is_paid: Callable[[str], bool]) -> Action:
    """Return *action* with the fewest lines, and these with the fewest words; quotes are pieces of their own."""
    text = action.text
    for pattern in (r"['\"]|[^'\"\n]*\n|[^'\"\n]+", r"['\"]|[^\s;'\"]+[\s;]*|[\s;]+"):
        pieces = re.findall(pattern, text)
        text = "".join(_fewest(pieces, lambda parts: is_paid("".join(parts))))
    return Action(action.kind, text.strip() if text.strip() and is_paid(text.strip()) else text)


def _fewest(pieces: Sequence[Piece], is_paid: Callable[[Sequence[Piece]], bool]) -> list[Piece]:
    """Return the fewest of *pieces* that are still paid, by leaving out ever smaller runs of them."""
    found = list(pieces)
    size = len(found)
    while size and found:
        start = 0
        while start < len(found):
            candidate = [*found[:start], *found[start + size :]]
            if is_paid(candidate):
                found = candidate
            else:
                start += size
        size //= 2
    return found
