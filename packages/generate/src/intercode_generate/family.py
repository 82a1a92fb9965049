"""What a family of tasks is: phrasings, and a function that drafts one task in a generated world."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Generic, Literal, TypeVar

from intercode.types import NO_CRITERIA, Criteria
from intercode_generate.draw import Draw

Difficulty = Literal["easy", "medium", "hard"]

DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "medium", "hard")

LEAST_PHRASINGS = 3
"""One of a family's phrasings is held out for `test-phrasings`, and training should see more than one."""

World = TypeVar("World")


@dataclass(frozen=True, slots=True)
class Draft:
    """One task before its words are chosen.

    Attributes:
        values: What fills the fields of a phrasing: `{place}`.
        gold: The code whose ending is right.
        second_gold: The same ending reached in another way, so that no single command can be wrong alone.
        near_misses: Code that nearly does it (off by one, wrong file, wrong order, missing flag), and must score
            below 1.
        steps: How many commands or stages the gold has, 1 to 6.
        criteria: What `exact` judges beyond what it always does.
        extra: What else the task's record holds, such as hidden tests.
    """

    values: Mapping[str, str]
    gold: str
    second_gold: str
    near_misses: tuple[str, ...]
    steps: int
    criteria: Criteria = NO_CRITERIA
    extra: Mapping[str, Any] = field(default_factory=dict)


Make = Callable[[Draw, World, Difficulty], Draft | None]
"""Drafts a task of that difficulty; None where this world holds nothing for it."""


@dataclass(frozen=True)
class Family(Generic[World]):
    """Tasks that are alike: *name* is `topic/what-is-asked`; each phrasing is a template of `phrasing.render`."""

    name: str
    phrasings: tuple[str, ...]
    make: Make[World]
    difficulties: tuple[Difficulty, ...] = DIFFICULTIES

    @property
    def topic(self) -> str:
        """Return what its tasks are about: the module that it stands in."""
        return self.name.partition("/")[0]


class Families(Generic[World]):
    """All families of one kind of world. The modules of *package* register theirs by the decorator `add`."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._found: dict[str, Family[World]] = {}
        self._all: Sequence[Family[World]] = ()

    def add(
        self, *phrasings: str, difficulties: tuple[Difficulty, ...] = DIFFICULTIES
    ) -> Callable[[Make[World]], Make[World]]:
        """Register the decorated function as a family, called by its module's and its own name."""

        def register(make: Make[World]) -> Make[World]:
            name = f"{make.__module__.rpartition('.')[2]}/{make.__name__}".replace("_", "-")
            if name in self._found:
                raise ValueError(f"two families are called {name}")
            if len(phrasings) < LEAST_PHRASINGS:
                raise ValueError(f"{name} has {len(phrasings)} phrasings, and {LEAST_PHRASINGS} are wanted at least")
            self._found[name] = Family(name, phrasings, make, difficulties)
            return make

        return register

    def all(self) -> Sequence[Family[World]]:
        """Return all of them, sorted by name. Imports their modules."""
        if not self._all:
            for module in iter_modules(import_module(self._package).__path__):
                import_module(f"{self._package}.{module.name}")
            self._all = [self._found[name] for name in sorted(self._found)]
        return self._all
