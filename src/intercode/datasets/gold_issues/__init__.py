"""Golds of published data sets that are known to be wrong, ambiguous or void, as facts in one file: `known.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from intercode.types import KnownIssue

FILE = Path(__file__).with_name("known.toml")


@dataclass(frozen=True, slots=True)
class GoldIssues:
    """By id of a task: why its gold is `wrong`, how its request is `ambiguous`, and whether its result is `void`."""

    wrong: Mapping[str, str]
    ambiguous: Mapping[str, str]
    void: frozenset[str]

    def left_out(self, *, void: bool = False, wrong: bool = False) -> frozenset[str]:
        """The tasks to leave out by those who want no *void* golds, or no *wrong* ones."""
        return frozenset([*(self.void if void else ()), *(self.wrong if wrong else ())])

    def of(self, task: str) -> KnownIssue:
        """What is known of the task with that whole id; `wrong` where it is void, too, and "" where nothing is."""
        if task in self.wrong:
            return "wrong"
        return "void" if task in self.void else "ambiguous" if task in self.ambiguous else ""


@cache
def all_issues() -> GoldIssues:
    """All that is known."""
    sets = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return GoldIssues(
        wrong={f"{name}/{end}": why for name, said in sets.items() for end, why in said.get("wrong", {}).items()},
        ambiguous={
            f"{name}/{end}": how for name, said in sets.items() for end, how in said.get("ambiguous", {}).items()
        },
        void=frozenset(f"{name}/{end}" for name, said in sets.items() for end in said.get("void", ())),
    )
