"""Python tasks from their families."""

from __future__ import annotations

from typing import ClassVar

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Families
from intercode_generate.maker import Maker
from intercode_generate.python import world as worlds
from intercode_generate.python.registry import FAMILIES
from intercode_generate.python.world import PythonWorld
from intercode_generate.splits import Split

BEFORE = (
    "{person} asks for this.",
    "This is for {person}, who works on the {thing}.",
    "{person} and {other} need a helper.",
    "The {thing} will use this one day.",
)

AFTER = (
    "{person} will read your code later.",
    "How fast it is does not matter here.",
    "Do not mind the name: the {thing} have nothing to do with it.",
)
"""Sentences that ask for nothing: distractors."""

SHARE = {"easy": 0.1, "medium": 0.4, "hard": 0.8}


class PythonMaker(Maker[PythonWorld]):
    """Functions and classes to write: the families of `families/`."""

    kind: ClassVar[str] = "python"
    families: Families[PythonWorld] = FAMILIES

    def make_world(self, draw: Draw, split: Split) -> PythonWorld:
        return worlds.make(draw, split)

    def dress(self, text: str, world: PythonWorld, draw: Draw, difficulty: Difficulty) -> str:
        """Sentences before and after, the more often the harder."""
        people = [person.capitalize() for person in draw.sample(world.people, 2)]
        values = {"person": people[0], "other": people[1], "thing": draw.pick(world.things)}
        share = SHARE[difficulty]
        before = draw.pick(BEFORE).format(**values) + " " if draw.chance(share) else ""
        after = " " + draw.pick(AFTER).format(**values) if draw.chance(share / 2) else ""
        return f"{before}{' '.join(text.split())}{after}"
