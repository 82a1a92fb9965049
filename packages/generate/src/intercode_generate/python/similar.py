"""Arguments like given ones: of the same types and shapes, with what holds of all given ones."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from intercode_generate.draw import Draw
from intercode_generate.python.sketch import Arguments

Path = tuple[object, ...]

TRIES = 30
"""Draws for one set of arguments, until all relations hold."""

CLASSES = (string.ascii_lowercase, string.ascii_uppercase, string.digits)

RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "equals": lambda one, other: _number(one) and one == other,
    "below": lambda one, other: _number(one) and _number(other) and one < other,
    "not above": lambda one, other: _number(one) and _number(other) and one <= other,
    "below the length": lambda one, other: _whole(one) and one < len(other),
    "not above the length": lambda one, other: _whole(one) and one <= len(other),
    "in": lambda one, other: one in other,
    "as long": lambda one, other: len(one) == len(other),
    "not longer": lambda one, other: len(one) <= len(other),
}

LENGTHS: tuple[Callable[[Any], int], ...] = (
    len,
    lambda value: len(value) - 1,
    lambda value: len(value[0]),
    lambda value: len(value[0]) - 1,
)
"""What a number beside a list may be of it."""


@dataclass
class Seen:
    """All values at one place of the examples."""

    values: list[Any] = field(default_factory=list)

    @property
    def lengths(self) -> list[int]:
        """Return how many things each holds that holds some."""
        return [len(value) for value in self.values if isinstance(value, list | tuple | set | frozenset | dict)]


class Similar:
    """Draws arguments like *examples*, all for one function."""

    def __init__(self, draw: Draw, examples: Sequence[Arguments]) -> None:
        self.draw, self.examples = draw, examples
        self._seen: dict[Path, Seen] = {}
        for example in examples:
            for place, value in enumerate(example):
                self._look((place,), value)
        pairs = [(one, other) for one in range(len(examples[0])) for other in range(len(examples[0])) if one != other]
        self._lengths = [
            (one, other, length) for one, other in pairs for length in LENGTHS if self._is_length(one, other, length)
        ]
        self._relations = [
            (one, other, name)
            for one, other in pairs
            for name, holds in RELATIONS.items()
            if self._hold(one, other, holds)
        ]

    def arguments(self) -> Arguments | None:
        """Return some; None where none were found for which the same holds as for all examples."""
        for _ in range(TRIES):
            given = [deepcopy(value) for value in self.draw.pick(self.examples)]
            for place in range(len(given)):
                if self.draw.chance(0.75):
                    given[place] = self._other((place,), given[place])
            for one, other, length in self._lengths:
                given[one] = length(given[other])
            if all(_holds(RELATIONS[name], given[one], given[other]) for one, other, name in self._relations):
                return tuple(given)
        return None

    def _hold(self, one: int, other: int, holds: Callable[[Any, Any], bool]) -> bool:
        return all(_holds(holds, example[one], example[other]) for example in self.examples)

    def _is_length(self, one: int, other: int, length: Callable[[Any], int]) -> bool:
        return self._hold(one, other, lambda number, value: _whole(number) and number == length(value))

    def _look(self, path: Path, value: Any) -> None:
        self._seen.setdefault(path, Seen()).values.append(value)
        for step, each in _parts(value):
            self._look((*path, step), each)

    # Other values

    def _other(self, path: Path, value: Any) -> Any:
        """Something like *value*, which is at *path*."""
        if isinstance(value, bool):
            return self.draw.chance(0.5)
        if isinstance(value, int):
            return self._whole(path, value)
        if isinstance(value, float):
            return round(value + self.draw.pick((-0.5, 0.5, 1.0, 2.25)), 2) if value >= 1 else value
        if isinstance(value, str):
            return self._text(path, value)
        if isinstance(value, list | tuple):
            return type(value)(self._many(path, list(value)))
        if isinstance(value, set | frozenset):
            return type(value)(self._many(path, sorted(value, key=repr)))
        if isinstance(value, dict):
            kept = self._many(path, list(value.items())) if value else []
            return dict(kept)
        return value

    def _whole(self, path: Path, value: int) -> int:
        seen: list[int] = [each for each in self._values(path) if _whole(each)] or [value]
        low, high = min(seen), max(seen)
        if high >= 10 and all(set(str(each)) <= {"0", "1"} for each in seen):
            return int("1" + "".join(self.draw.pick("01") for _ in range(self.draw.integer(0, len(str(high))))))
        span = min(max(high - low, 6), 100)
        least = max(low - span // 2, 1 if low >= 1 else 0) if low >= 0 else low - span // 2
        near = [value - 1, value + 1, value + 2, self.draw.pick(seen), self.draw.integer(least, high + span // 2)]
        return max(least, self.draw.pick(near))

    def _text(self, path: Path, value: str) -> str:
        seen = [each for each in self._values(path) if isinstance(each, str)] or [value]
        letters = "".join(seen)
        pool = letters + "".join(self._letters(letters))
        if not pool:
            return value
        is_even = len(set(map(len, seen))) == 1
        text = list(self.draw.pick(seen) if self.draw.chance(0.3) else value)
        for _ in range(self.draw.integer(1, 3)):
            place = self.draw.integer(0, max(0, len(text) - 1))
            kind = self.draw.integer(0, 1 if is_even else 4)
            if kind == 0 and text:
                text[place] = self.draw.pick(pool)
            elif kind == 1 and text:
                other = self.draw.integer(0, len(text) - 1)
                text[place], text[other] = text[other], text[place]
            elif kind == 2 and len(text) > 1:
                del text[place]
            elif kind == 3 and text:
                text.insert(place, text[place])
            elif kind == 4:
                text.insert(place, self.draw.pick(pool))
        found = "".join(text)
        if not any(each != each.strip() for each in seen):
            found = found.strip()
        leads = found[:1] == "0" and not any(each[:1] == "0" for each in seen)
        return found if (found or "" in seen) and not (leads and len(found) > 1) else value

    def _letters(self, letters: str) -> Iterator[str]:
        """Yield some of each class that *letters* has."""
        for each in CLASSES:
            some = set(each) & set(letters)
            if some and (len(some) > 4 or not set(letters) <= set(each)):
                yield "".join(self.draw.sample(each, 6))

    def _many(self, path: Path, values: list[Any]) -> list[Any]:
        seen = self._seen.get(path, Seen([values]))
        lengths = seen.lengths or [len(values)]
        is_fixed = len(set(lengths)) == 1 and (len(path) > 1 or len(lengths) > 3 or lengths[0] < 3)
        is_fixed = is_fixed or all(map(_is_square, seen.values)) or self._is_row(path)
        least, most = min(lengths), max(lengths) + 2
        for _ in range(self.draw.integer(1, 4)):
            place = self.draw.integer(0, max(0, len(values) - 1))
            kind = self.draw.integer(0, 2 if is_fixed else 6)
            if kind < 2 and values:
                values[place] = self._element(path, place, values[place])
            elif kind == 2 and values and self._is_alike(path):
                other = self.draw.integer(0, len(values) - 1)
                values[place], values[other] = values[other], values[place]
            elif kind == 3 and len(values) > max(1, least // 2):
                del values[place]
            elif kind == 4 and values and len(values) < most and self._is_alike(path):
                values.insert(place, deepcopy(self.draw.pick(values)))
            elif kind == 5 and values and len(values) < most and self._is_alike(path):
                values.insert(place, self._element(path, place, deepcopy(values[place])))
            elif kind == 6 and values and self._is_alike(path):
                values.reverse()
        return self._as_seen(seen, values, is_fixed)

    def _element(self, path: Path, place: int, value: Any) -> Any:
        if (*path, "key") in self._seen and isinstance(value, tuple):
            key, each = value
            if self.draw.chance(0.3):
                key = self._other((*path, "key"), key)
            return key, self._other((*path, "*"), each)
        return self._other((*path, "*" if (*path, "*") in self._seen else place), value)

    def _is_alike(self, path: Path) -> bool:
        """Return whether all parts are of one kind, so that their order is free."""
        return (*path, "*") in self._seen

    def _is_row(self, path: Path) -> bool:
        """Return whether what is there is one of several lists that are all as long, in each example."""
        tables = [value for value in self._values(path[:-1]) if isinstance(value, list | tuple) and len(value) > 1]
        return bool(tables) and all(_is_rectangle(value) for value in tables)

    def _as_seen(self, seen: Seen, values: list[Any], is_fixed: bool) -> list[Any]:
        """In order, and without what is there twice, where all that was seen is so."""
        held = [list(value) for value in seen.values if isinstance(value, list | tuple | set | frozenset)]
        longer = [value for value in held if len(value) > 1]
        if not longer:
            return values
        for is_down in (False, True):
            if all(_is_sorted(each, is_down) for each in longer) and len(longer) > 1:
                values = _sorted(values, is_down)
        if sum(map(len, longer)) > 9 and all(_distinct(each) for each in longer):
            once = [each for place, each in enumerate(values) if each not in values[:place]]
            as_long = [value for value in longer if len(value) == len(values)]
            values = list(self.draw.pick(as_long or [values])) if is_fixed and len(once) < len(values) else once
        return values

    def _values(self, path: Path) -> Sequence[Any]:
        return self._seen[path].values if path in self._seen else ()


def _parts(value: Any) -> Iterator[tuple[object, Any]]:
    """Yield what *value* holds, with the place of each.

    `*` where all are of one kind, `key` for the keys of dictionaries.
    """
    if isinstance(value, dict):
        for key, each in value.items():
            yield "key", key
            yield "*", each
    elif isinstance(value, list | tuple | set | frozenset):
        is_record = isinstance(value, tuple) and len({type(each) for each in value}) > 1
        for place, each in enumerate(value):
            yield place if is_record else "*", each


def _holds(relation: Callable[[Any, Any], bool], one: Any, other: Any) -> bool:
    try:
        return relation(one, other)
    except (TypeError, IndexError, KeyError):  # it is of other types
        return False


def _is_sorted(values: list[Any], is_down: bool) -> bool:
    return values == _sorted(values, is_down)


def _sorted(values: list[Any], is_down: bool) -> list[Any]:
    """In order, or as they are where they have none."""
    try:
        return sorted(values, reverse=is_down)
    except TypeError:
        return values


def _is_rectangle(value: Any) -> bool:
    """Return whether it holds lists alone, all of them as long."""
    return bool(value) and all(isinstance(each, list | tuple) and len(each) == len(value[0]) for each in value)


def _is_square(value: Any) -> bool:
    """Return whether it also holds as many as each of them."""
    return isinstance(value, list | tuple) and _is_rectangle(value) and len(value) == len(value[0])


def _distinct(values: list[Any]) -> bool:
    return all(each not in values[:place] for place, each in enumerate(values))


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: object) -> bool:
    return _whole(value) or isinstance(value, float)
