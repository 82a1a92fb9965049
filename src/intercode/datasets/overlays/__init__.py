"""How single tasks of published data sets are judged, beyond what is published: a file of TOML for each data set.

`[criteria]` and `[alternative_golds]` say for a task what its judgement takes, by the end of its id. What is known of
its gold is in `gold_issues`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from intercode.datasets.gold_issues import all_issues
from intercode.types import NO_CRITERIA, Criteria, Task

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Overlay:
    """One data set's, by the ids of its tasks; empty for a data set without a file."""

    criteria: Mapping[str, Criteria] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def on(self, task: Task) -> Task:
        """*task* with all that is known of it and of its gold."""
        return replace(
            task,
            known_issue=all_issues().of(task.id),
            criteria=self.criteria.get(task.id, NO_CRITERIA),
            alternative_golds=self.alternatives.get(task.id, ()),
        )


@cache
def overlay_of(dataset: str) -> Overlay:
    """That of the data set called *dataset*; an empty one where there is no file."""
    if dataset not in _names():
        return Overlay()
    found = tomllib.loads((FOLDER / f"{dataset}.toml").read_text(encoding="utf-8"))
    criteria, golds = found.get("criteria", {}), found.get("alternative_golds", {})
    return Overlay(
        {f"{dataset}/{id}": Criteria(**dict.fromkeys(names, True)) for id, names in criteria.items()},
        {f"{dataset}/{id}": tuple(texts) for id, texts in golds.items()},
    )


@cache
def _names() -> frozenset[str]:
    """The data sets that have a file: what others are called names no path here."""
    return frozenset(path.stem for path in FOLDER.glob("*.toml"))
