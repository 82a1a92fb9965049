"""What is known of single tasks of a published set, beyond what was published: `annotations.toml` in the set's folder.

Golds: `wrong` ones do not answer their request, each read beside it; `ambiguous` requests have another reading that
is as good; `void` golds show no rows, or one of nothing but 0 and NULL, so that their result proves nothing. `criteria`
and `alternative_golds` say what a task's judgement takes. docs/scoring.md shows all of it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from intercode.types import Criteria, KnownIssue, Task

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Annotations:
    """By the whole id of a task: why its gold is `wrong`, how its request is `ambiguous`, whether its result is `void`.

    And what else its judgement compares, or accepts.
    """

    wrong: Mapping[str, str] = field(default_factory=dict)
    ambiguous: Mapping[str, str] = field(default_factory=dict)
    void: frozenset[str] = frozenset()
    criteria: Mapping[str, Criteria] = field(default_factory=dict)
    alternative_golds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def left_out(self, *, void: bool = False, wrong: bool = False) -> frozenset[str]:
        """Return the tasks to leave out by those who want no *void* golds, or no *wrong* ones."""
        return frozenset([*(self.void if void else ()), *(self.wrong if wrong else ())])

    def known_issue(self, task: str) -> KnownIssue:
        """Return what is known of the gold of the task with that id.

        `wrong` where it is void, too, and "" where nothing is.
        """
        if task in self.wrong:
            return "wrong"
        return "void" if task in self.void else "ambiguous" if task in self.ambiguous else ""

    def on(self, task: Task) -> Task:
        """Return *task* with all that is known of it and of its gold, beside what was published."""
        return replace(
            task,
            known_issue=self.known_issue(task.id),
            criteria=self.criteria.get(task.id, task.criteria),
            alternative_golds=(*task.alternative_golds, *self.alternative_golds.get(task.id, ())),
        )


@cache
def annotations_of(dataset: str) -> Annotations:
    """Return those of the data set called *dataset*; empty where it has no file."""
    return _read(dataset, _files()[dataset]) if dataset in _files() else Annotations()


@cache
def all_annotations() -> Annotations:
    """Return those of every data set."""
    found = [annotations_of(dataset) for dataset in _files()]
    return Annotations(
        wrong=_union(each.wrong for each in found),
        ambiguous=_union(each.ambiguous for each in found),
        void=frozenset().union(*(each.void for each in found)),
        criteria=_union(each.criteria for each in found),
        alternative_golds=_union(each.alternative_golds for each in found),
    )


@cache
def _files() -> Mapping[str, Path]:
    """Return the files by the names of their data sets; what others are called names no path here."""
    paths = sorted(Path(__file__).parents[1].glob("*/annotations.toml"))
    return {path.parent.name.replace("_", "-"): path for path in paths}


def _read(dataset: str, path: Path) -> Annotations:
    found = tomllib.loads(path.read_text(encoding="utf-8"))

    def by_id(key: str) -> dict[str, Any]:
        return {f"{dataset}/{end}": value for end, value in found.get(key, {}).items()}

    return Annotations(
        wrong=by_id("wrong"),
        ambiguous=by_id("ambiguous"),
        void=frozenset(f"{dataset}/{end}" for end in found.get("void", ())),
        criteria={id: Criteria(**dict.fromkeys(names, True)) for id, names in by_id("criteria").items()},
        alternative_golds={id: tuple(texts) for id, texts in by_id("alternative_golds").items()},
    )


def _union(mappings: Iterable[Mapping[str, V]]) -> dict[str, V]:
    return {id: value for mapping in mappings for id, value in mapping.items()}
