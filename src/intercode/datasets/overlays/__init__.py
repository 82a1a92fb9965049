"""What is known of published tasks beyond what is published: a file of TOML for each data set, named after it.

`[known_issue]` lists the ids whose golds are `wrong`, `ambiguous` or `void`; `[criteria]` and `[alternative_golds]` say
for an id what its judgement takes. Ids stand without the data set's name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from intercode.types import NO_CRITERIA, Criteria, KnownIssue, Task

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Overlay:
    """One data set's, by the ids of its tasks; empty for a data set without a file."""

    issues: Mapping[str, KnownIssue] = field(default_factory=dict)
    criteria: Mapping[str, Criteria] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def on(self, task: Task) -> Task:
        """*task* with all that is known of it."""
        return replace(
            task,
            known_issue=self.issues.get(task.id, ""),
            criteria=self.criteria.get(task.id, NO_CRITERIA),
            alternative_golds=self.alternatives.get(task.id, ()),
        )


@cache
def overlay_of(dataset: str) -> Overlay:
    """That of the data set called *dataset*."""
    path = FOLDER / f"{dataset}.toml"
    if dataset not in _names():
        return Overlay()
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    listed = found.get("known_issue", {})
    criteria, golds = found.get("criteria", {}), found.get("alternative_golds", {})
    return Overlay(
        {f"{dataset}/{id}": issue for issue, ids in listed.items() for id in ids},
        {f"{dataset}/{id}": Criteria(**dict.fromkeys(names, True)) for id, names in criteria.items()},
        {f"{dataset}/{id}": tuple(texts) for id, texts in golds.items()},
    )


def known_issue(task_id: str) -> KnownIssue:
    """What is known of the gold of the published task with that whole id, as stored runs have it; "" for all others.

    No data is read: this works where the data set itself is not at hand.
    """
    return overlay_of(task_id.partition("/")[0]).issues.get(task_id, "")


@cache
def _names() -> frozenset[str]:
    """The data sets that have a file: what else an id begins with is the user's own, and names no path here."""
    return frozenset(path.stem for path in FOLDER.glob("*.toml"))
