"""Bash tasks from their families."""

from __future__ import annotations

from typing import ClassVar

from intercode_generate.bash.build import build
from intercode_generate.bash.names import THINGS
from intercode_generate.bash.registry import FAMILIES
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Families
from intercode_generate.maker import Maker
from intercode_generate.splits import Split

BEFORE = (
    "{person} asks for this.",
    "This is for {person}, who waits for it.",
    "{person} and {other} are tidying up.",
    "We had a visit from the auditors today.",
    "The {thing} has to wait; this comes first.",
)

AFTER = (
    "`{folder}` has nothing to do with it.",
    "Leave everything else as it is.",
    "{person} will look at `{folder}` another day; leave it alone.",
    "Do not mind the {thing}.",
)
"""Sentences that ask for nothing: distractors."""

SHARE = {"easy": 0.1, "medium": 0.4, "hard": 0.8}


class BashMaker(Maker[BashWorld]):
    """File systems, and the families of `families/`."""

    kind: ClassVar[str] = "bash"
    families: Families[BashWorld] = FAMILIES

    def make_world(self, draw: Draw, split: Split) -> BashWorld:
        return build(draw, split)

    def dress(self, text: str, world: BashWorld, draw: Draw, difficulty: Difficulty) -> str:
        """Sentences before and after, the more often the harder."""
        people = [person.capitalize() for person in draw.sample(world.people, 2)]
        empty = draw.pick(world.empty_folders)
        values = {"person": people[0], "other": people[1], "thing": draw.pick(THINGS), "folder": empty}
        share = SHARE[difficulty]
        before = draw.pick(BEFORE).format(**values) + " " if draw.chance(share) else ""
        after = " " + draw.pick(AFTER).format(**values) if draw.chance(share / 2) else ""
        return f"{before}{text}{after}"
