"""Versions and ranges of them, as semver.org has them."""

import re
from functools import total_ordering

_VERSION = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?\Z")


@total_ordering
class Version:
    """A version, e.g. 1.2.3 or 2.0.0-rc.1. Build data (after a `+`) says nothing about order."""

    def __init__(self, text):
        found = _VERSION.match(text.strip())
        if found is None:
            raise ValueError(f"{text!r} is no version")
        self.text = text.strip()
        self.numbers = tuple(int(number or 0) for number in found.groups()[:3])
        self.early = found[4] or ""

    def _key(self):
        return (self.numbers, self.early)

    def __eq__(self, other):
        return self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return f"Version({self.text!r})"


def fits(version, wanted):
    """Whether a version is in a range: terms with blanks between, all of which have to hold.

    A term is `=`, `<`, `<=`, `>`, `>=`, `~` (the same minor version) or `^` (no breaking change), and a version.
    """
    return all(_holds(version, *re.match(r"(<=|>=|<|>|=|~|\^)?(.+)", term).groups()) for term in wanted.split())


def newest(versions, wanted=">=0"):
    """The newest of `versions` (texts) in the range `wanted`; None if there is none."""
    return max((Version(text) for text in versions if fits(Version(text), wanted)), default=None)


def _holds(version, sign, text):
    bound = Version(text)
    if sign == "^":
        return bound <= version < _next(bound.numbers, 0)
    if sign == "~":
        return bound <= version < _next(bound.numbers, 1)
    holds = {"<": version < bound, "<=": version <= bound, ">": version > bound, ">=": version >= bound}
    return holds.get(sign, version == bound)


def _next(numbers, place):
    """The first version with a larger number at that place."""
    raised = (*numbers[:place], numbers[place] + 1, 0, 0)
    return Version(".".join(str(number) for number in raised[:3]))
