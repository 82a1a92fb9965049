"""Whether the agent printed what the gold printed: line by line, in the gold's order unless that order is free.

Blank lines at the end of a text do not count; nothing else is forgiven, blanks at the ends of lines neither, unless the
task's criteria say so. Who prints
all there is has not found anything: an answer of which more than half was not asked for is worth nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from intercode.rewards.core.file_endings import Gold
from intercode.types import Criteria

_BLANKS = re.compile(r"[ \t]+")
_BLANKS_AT_ENDS = re.compile(r"^ | $", re.MULTILINE)

_NEARLY = 0.99
"""The most that is given for an answer that is not right."""


@dataclass(frozen=True)
class ExpectedAnswer:
    """What a gold printed: standard output is the answer, its errors are noise that may stand in between.

    *order_free*: the order of the lines says nothing. *blanks_free*: one blank is as good as several.
    """

    output: str
    errors: str = ""
    order_free: bool = False
    blanks_free: bool = False

    @classmethod
    def of(cls, gold: Gold, criteria: Criteria) -> ExpectedAnswer:
        """Return what *gold* printed, as the task's *criteria* have it compared."""
        output, order_free = gold.exact.answer or "", gold.order_free or criteria.any_order
        if criteria.any_blanks:
            return cls(_single_blanks(output), _single_blanks(gold.errors), order_free, blanks_free=True)
        return cls(output, gold.errors, order_free)

    @cached_property
    def lines(self) -> list[str]:
        """The lines to print; none where there is nothing to print."""
        return lines(self.output)

    def match(self, text: str) -> float:
        """1.0 if and only if *text* is the answer, else less: how much of it is there, 0 where no line is right."""
        if self.blanks_free:
            text = _single_blanks(text)
        if text == self.output:
            return 1.0
        expected, noise = self.lines, self._noise
        if is_mostly_unrequested(_count(text) - noise.total(), len(expected)):  # a dump: lines not compared
            return 0.0
        said = lines(text)
        if self._is(said, expected, noise):
            return 1.0
        if noise:
            said = _without(said, noise & (Counter(said) - Counter(expected)))
        if is_mostly_unrequested(len(said), (Counter(said) & Counter(expected)).total()):
            return 0.0
        alike = _overlap(said, expected)
        if not self.order_free:
            alike = (alike + _overlap(_neighbours(said), _neighbours(expected))) / 2
        return min(alike, _NEARLY)

    def _is(self, said: list[str], expected: list[str], noise: Counter[str]) -> bool:
        """Whether all that was said beyond the wanted lines is noise (one merged into a line without an end, too)."""
        if said == expected:
            return True
        if self.errors and said in (lines(self.output + self.errors), lines(self.errors + self.output)):
            return True
        left_over = Counter(said) - Counter(expected)
        is_all_there = left_over.total() == len(said) - len(expected)
        return is_all_there and left_over <= noise and (self.order_free or _is_within(expected, said))

    @cached_property
    def _noise(self) -> Counter[str]:
        """The lines of the errors, and the blank ones that ended the output before errors came after them."""
        if not self.errors:
            return Counter()
        blank = _all_lines(self.output)[len(self.lines) :]
        return Counter(_all_lines(self.errors)) + Counter(blank)


def is_mostly_unrequested(said: int, right: int) -> bool:
    """Return whether fewer than half of the things *said* are *right*: a dump of text that may hold the answer."""
    return 2 * right < said


def lines(text: str | None) -> list[str]:
    """Return the lines of a text without the blank ones at its end."""
    found = _all_lines(text or "")
    while found and not found[-1].strip():
        found.pop()
    return found


def _single_blanks(text: str) -> str:
    """Return *text* with one blank between the words of each line, and none at its ends."""
    return _BLANKS_AT_ENDS.sub("", _BLANKS.sub(" ", text))


def _count(text: str) -> int:
    """Return how many `lines` a text has."""
    text = text.rstrip()
    return text.count("\n") + 1 if text else 0


def _all_lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _is_within(short: list[str], long: list[str]) -> bool:
    """Return whether *short* is left of *long* when some lines are struck out."""
    rest = iter(long)
    return all(line in rest for line in short)


def _without(said: list[str], noise: Counter[str]) -> list[str]:
    """Return *said* less the lines in *noise*, each as often as it is there."""
    left, rest = Counter(noise), []
    for line in said:
        if left[line] > 0:
            left[line] -= 1
        else:
            rest.append(line)
    return rest


def _neighbours(found: list[str]) -> list[tuple[str | None, str | None]]:
    """Return which line follows which, ends included: what tells an order, at a cost that grows with the lines only."""
    return list(pairwise(chain([None], found, [None])))


def _overlap(said: Sequence[object], expected: Sequence[object]) -> float:
    """Twice what both have over all that there is (the F1 score)."""
    common = (Counter(said) & Counter(expected)).total()
    return 2 * common / (len(said) + len(expected)) if common else 0.0
