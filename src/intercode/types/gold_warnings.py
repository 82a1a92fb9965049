"""A warning about a gold, and all the rules by which one is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from intercode.types import Task


@dataclass(frozen=True, slots=True)
class GoldWarning:
    """One thing about a gold that a person should look at. `rule` is one of `RULES`."""

    task: str
    rule: str
    about: str


BASH_RULES = {
    "fails": "it only complains, or what it should work on is not there",
    "vacuous": "it changes nothing and prints nothing",
    "errors": "it writes to standard error",
    "nothing": "its answer is 0 or the digest of nothing",
    "literal": "it prints a `$(` that was meant to be run",
    "path": "it never touches a path that the query names",
    "count": "the query asks for a number, and it prints several lines",
    "silent": "the query asks for something to be shown, and it prints nothing",
}
"""What is looked for in golds of the world `bash`."""

SQL_RULES = {
    "clock": "it asks what day or time it is: the answer is another one tomorrow",
    "chance": "it asks for something random",
    "tie": "rows that its ORDER BY holds for equal stand on both sides of its LIMIT",
    "limit": "its LIMIT has no ORDER BY, and there are more rows",
    "group": "it shows one value for a group of rows that has several",
    "concat": "its GROUP_CONCAT has no order, and there are several",
    "window": "it numbers rows, or looks at the next one, in an order that holds some for equal",
    "text-number": "it orders or compares numbers that are stored as text, and as numbers they stand otherwise",
    "text-compared": "it compares texts that are no numbers with a number",
    "null": "rows without a value come first, or last, in its order, and no value says where they belong",
    "not-in": "its NOT IN looks at a list with a NULL in it, so that nothing is outside of it",
    "unjudged": "its last statement does something that is not judged",
}
"""What is looked for in golds of the world `sql`."""

RULES = {**BASH_RULES, **SQL_RULES}
"""What is looked for anywhere."""


def in_order(task: Task, found: Mapping[str, str]) -> tuple[GoldWarning, ...]:
    """Return what was *found* about a gold of *task*, by rule, as warnings in the order of the rules."""
    return tuple(GoldWarning(task.id, rule, found[rule]) for rule in RULES if rule in found)
