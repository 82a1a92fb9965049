"""Where the families of SQL tasks register: `@family("phrasing", …)` above a function of `families/`.

A draft counts only if its gold shows something that cannot be guessed, and each near miss something else in this
database: a condition that happens to hold for all rows would prove nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from intercode_generate.draw import Draw
from intercode_generate.family import DIFFICULTIES, Difficulty, Draft, Families, Make
from intercode_generate.sql.engine import DoubtfulRoundingError, is_ordered
from intercode_generate.sql.schema import SqlWorld

FAMILIES = Families[SqlWorld]("intercode_generate.sql.families")

TRIES = 10
"""Drafts that a family may make in a world until one can be told from its near misses."""

MOST_ROWS = 60
"""An answer that has more is not asked for."""

GUESSED = 12
"""A single whole number up to this is easily guessed."""


def family(
    *phrasings: str, difficulties: tuple[Difficulty, ...] = DIFFICULTIES
) -> Callable[[Make[SqlWorld]], Make[SqlWorld]]:
    """Register a family whose drafts are tried in their world first."""

    def register(make: Make[SqlWorld]) -> Make[SqlWorld]:
        @wraps(make)
        def draft(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
            for _ in range(TRIES):
                found = make(draw, world, difficulty)
                if found is not None and is_telling(found, world):
                    return replace(found, extra={**found.extra, "db": world.name})
            return None

        return FAMILIES.add(*phrasings, difficulties=difficulties)(draft)

    return register


def is_telling(draft: Draft, world: SqlWorld) -> bool:
    """Return whether the gold's ending is worth asking for, and no near miss reaches it."""
    try:
        if draft.gold.startswith("SELECT"):
            return _tells_rows(draft, world)
        about = " ".join((draft.gold, *draft.near_misses))
        right = world.engine.state_after(draft.gold, about)
        if world.engine.untouched(about) == right:
            return False
        return all(world.engine.state_after(text, about) != right for text in draft.near_misses)
    except DoubtfulRoundingError:
        return False


def _tells_rows(draft: Draft, world: SqlWorld) -> bool:
    rows = world.engine.rows(draft.gold)
    if not rows or len(rows) > MOST_ROWS:
        return False
    if len(rows) == 1 and len(rows[0]) == 1 and _is_guessed(rows[0][0], world):
        return False
    if is_ordered(draft.gold):
        return all(world.engine.rows(text) != rows for text in draft.near_misses)
    bag = Counter(rows)
    return all(Counter(world.engine.rows(text)) != bag for text in draft.near_misses)


def _is_guessed(value: object, world: SqlWorld) -> bool:
    if isinstance(value, int):
        return value <= GUESSED or value in {len(table.rows) for table in world.tables}
    return value is None
