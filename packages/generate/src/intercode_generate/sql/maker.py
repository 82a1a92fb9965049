"""SQL tasks from their families."""

from __future__ import annotations

from typing import ClassVar

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Families
from intercode_generate.maker import Maker
from intercode_generate.splits import Split
from intercode_generate.sql.build import build
from intercode_generate.sql.names import FIRST
from intercode_generate.sql.registry import FAMILIES
from intercode_generate.sql.schema import SqlWorld

BEFORE = (
    "{person} asks for this.",
    "This is for {person}, who waits for it.",
    "{person} and {other} prepare a meeting.",
    "We had a visit from the auditors today.",
)

AFTER = (
    "This has nothing to do with `{table}`.",
    "{person} will look at `{table}` another day.",
    "Whether the data are right is for {person} to say.",
)
"""Sentences that ask for nothing: distractors."""

SHARE: dict[Difficulty, float] = {"easy": 0.1, "medium": 0.4, "hard": 0.8}


class SqlMaker(Maker[SqlWorld]):
    """Databases, and the families of `families/`."""

    kind: ClassVar[str] = "sql"
    families: Families[SqlWorld] = FAMILIES

    def make_world(self, draw: Draw, split: Split) -> SqlWorld:
        return build(draw, split)

    def dress(self, text: str, world: SqlWorld, draw: Draw, difficulty: Difficulty) -> str:
        """Sentences before and after, the more often the harder. They name only tables that the request does not."""
        person, other = draw.sample(FIRST, 2)
        tables = [each.name for each in world.tables if f"`{each.name}`" not in text]
        values = {"person": person, "other": other, "table": draw.pick(tables) if tables else ""}
        share = SHARE[difficulty]
        before = draw.pick(BEFORE).format(**values) + " " if draw.chance(share) else ""
        after = " " + draw.pick(AFTER).format(**values) if tables and draw.chance(share / 2) else ""
        return f"{before}{text}{after}"
