"""The columns that say how a task is judged: further golds, criteria, and what is known to be wrong with a gold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import get_args

from intercode import world_specs
from intercode.datasets.formats.record import Record, kind
from intercode.errors import BadDataError
from intercode.types import NO_CRITERIA, Criteria, KnownIssue, Task

ALTERNATIVES, CRITERIA, ISSUE = COLUMNS = ("alternative_golds", "criteria", "known_issue")
"""The columns that are read here."""

_NAMES = tuple(field.name for field in fields(Criteria))


def with_judging(task: Task, record: Record, path: Path, every: Criteria, read_gold: Callable[[object], str]) -> Task:
    """Return *task* with what its *record* says of judging it, beside *every* task's criteria.

    A gold is read by *read_gold*.

    Raises:
        BadDataError: If a field of it is malformed. Names record and field.
    """
    columns = record.columns
    if every is NO_CRITERIA and not any(column in columns for column in COLUMNS):
        return task  # as nearly all are, of which there may be many
    try:
        column = ALTERNATIVES
        golds = alternatives(columns.get(column), task, read_gold)
        golds = tuple(dict.fromkeys((*task.alternative_golds, *golds)))
        column = CRITERIA
        chosen = _both(every, criteria(columns.get(column), task.world))
        column = ISSUE
        issue = known_issue(columns.get(column))
    except ValueError as error:
        raise BadDataError(f"{path}: {record.place}, field {column!r}: {error}") from error
    return replace(task, alternative_golds=golds, criteria=chosen, known_issue=issue)


def alternatives(value: object, task: Task, read_gold: Callable[[object], str]) -> tuple[str, ...]:
    """Return a list of golds, or one; each is a command, or several as a list.

    Raises:
        ValueError: If it is something else.
    """
    if value is None or value == "":
        return ()
    if not world_specs.find(task.world).has_alternatives:
        raise ValueError(f"in the world {task.world} nothing is compared with a gold: leave it out")
    if task.gold is None:
        raise ValueError("the task has no gold that this could be an alternative to")
    found = [read_gold(each) for each in (value if isinstance(value, list) else [value])]
    if not all(found):
        raise ValueError("one of them is empty")
    return tuple(dict.fromkeys(gold for gold in found if gold != task.gold))


def criteria(value: object, world: str) -> Criteria:
    """Return a list of the names of criteria, or a text with commas between them.

    Raises:
        ValueError: If it is something else, or there is no such criterion.
    """
    names = value.split(",") if isinstance(value, str) else [] if value is None else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"expected a list of names, or a text with commas between them, not {kind(value)}")
    named = [name.strip() for name in names if name.strip()]
    if unknown := [name for name in named if name not in _NAMES]:
        raise ValueError(f"no criterion is called {unknown[0]!r}; there are: {', '.join(_NAMES)}")
    if named and not world_specs.find(world).has_criteria:
        raise ValueError(f"the world {world} has no criteria to choose: leave them out")
    return Criteria(**dict.fromkeys(named, True)) if named else NO_CRITERIA


def known_issue(value: object) -> KnownIssue:
    """Return `wrong`, `ambiguous`, `void` or nothing.

    Raises:
        ValueError: If it is something else.
    """
    for issue in get_args(KnownIssue):
        if (value or "") == issue:
            known: KnownIssue = issue
            return known
    named = ", ".join(filter(None, get_args(KnownIssue)))
    raise ValueError(f"no known issue is called {value!r}; there are: {named}, or leave it out")


def _both(one: Criteria, other: Criteria) -> Criteria:
    return Criteria(**{name: getattr(one, name) or getattr(other, name) for name in _NAMES})
