"""How families become tasks: a world at a time, each with a batch of tasks that share it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from intercode.errors import UserError
from intercode.types import Task
from intercode_generate.draw import Draw
from intercode_generate.family import DIFFICULTIES, Difficulty, Draft, Families, Family
from intercode_generate.phrasing import render
from intercode_generate.splits import Split, families_of, phrasings_of

CANARY = "intercode-generated canary 5b0d6c0e-3f5f-4a0c-9a7e-6d1f2c8b9e41"
"""Stands in every written record: a corpus that holds it holds these tasks."""

TRIES = 12
"""How often each family is asked for a task before a world is given up."""

World = TypeVar("World")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides everything: equal recipes give equal tasks. No *difficulty*: all of them, in turn."""

    seed: int = 0
    split: Split = "train"
    difficulty: Difficulty | None = None


@dataclass(frozen=True)
class Batch(Generic[World]):
    """One generated world, and the tasks over it."""

    number: int
    world: World
    tasks: tuple[Task, ...]


class Maker(ABC, Generic[World]):
    """Makes the tasks of one kind of world. A subclass writes `make_world`, and perhaps `dress`."""

    kind: ClassVar[str]
    """What it is called, and what its tasks' ids begin with after `generated-`: the world that they are for."""

    families: Families[World]

    size: ClassVar[int] = 40
    """Tasks that share a world."""

    @abstractmethod
    def make_world(self, draw: Draw, split: Split) -> World:
        """Return a world for a batch of tasks, with names from the *split*'s lists of words only."""

    def dress(self, text: str, world: World, draw: Draw, difficulty: Difficulty) -> str:
        """Return *text* with sentences around it that ask for nothing (distractors), as its difficulty has them."""
        return text

    def batch(self, recipe: Recipe, number: int) -> Batch[World]:
        """Return the batch of that *number*, from 0: always `size` tasks, no two with the same text or gold.

        Raises:
            UserError: If a recipe leaves no family, or families find nothing to ask of a world.
        """
        key = (self.kind, recipe.seed, recipe.split, recipe.difficulty or "all", number)
        world = self.make_world(Draw(*key, "world"), recipe.split)
        order = {level: _order(self, recipe, level, key) for level in DIFFICULTIES}
        seen: set[str] = set()
        tasks = tuple(self._task(world, recipe, order, (*key, place), seen) for place in range(self.size))
        return Batch(number, world, tasks)

    def _task(
        self,
        world: World,
        recipe: Recipe,
        order: Mapping[Difficulty, Sequence[Family[World]]],
        key: tuple[object, ...],
        seen: set[str],
    ) -> Task:
        """Return the first draft that works out, of one family after the other; its text and gold join *seen*."""
        draw = Draw(*key)
        place = int(str(key[-1]))
        level = recipe.difficulty or DIFFICULTIES[place % len(DIFFICULTIES)]
        families = order[level]
        first = place if recipe.difficulty else place // len(DIFFICULTIES)
        for attempt in range(TRIES * len(families)):
            family = families[(first + attempt) % len(families)]
            draft = family.make(draw, world, level)
            if draft is None or draft.gold in seen:
                continue
            phrasing = draw.pick(phrasings_of(family, recipe.split, recipe.seed))
            text = render(family.phrasings[phrasing], draft.values, draw)
            text = self.dress(text[:1].upper() + text[1:], world, draw, level)
            if text not in seen:
                seen.update((text, draft.gold))
                return self._finish(draft, text, family, phrasing, level, recipe, key)
        raise UserError(
            f"no family finds a {level} task in world {key[-2]} of generated-{self.kind}: take another seed"
        )

    def _finish(
        self,
        draft: Draft,
        text: str,
        family: Family[World],
        phrasing: int,
        level: Difficulty,
        recipe: Recipe,
        key: tuple[object, ...],
    ) -> Task:
        number, place = int(str(key[-2])), int(str(key[-1]))
        name = f"{recipe.seed}-{recipe.difficulty or 'all'}-{number * self.size + place}"
        extra: dict[str, Any] = {
            "split": recipe.split,
            "family": family.name,
            "phrasing": phrasing,
            "steps": draft.steps,
            "batch": number,
            "second_gold": draft.second_gold,
            "near_misses": list(draft.near_misses),
            **draft.extra,
        }
        return Task(
            id=f"generated-{self.kind}/{recipe.split}/{name}",
            query=text,
            gold=draft.gold,
            world=self.kind,
            category=family.topic,
            difficulty=level,
            extra=extra,
            criteria=draft.criteria,
        )


def _order(maker: Maker[World], recipe: Recipe, level: Difficulty, key: tuple[object, ...]) -> Sequence[Family[World]]:
    """Return the families that a batch asks, one after the other, so that none is asked twice before all are."""
    if recipe.difficulty not in (None, level):
        return ()
    found = families_of(maker.families.all(), recipe.split, recipe.seed, level)
    if not found:
        raise UserError(f"no family of generated-{maker.kind} has {level} tasks in the split {recipe.split}")
    return Draw(*key, "families", level).shuffled(found)


@cache
def source_digest() -> str:
    """Return a hex digest of all that makes tasks: another version of a family may make other ones."""
    folder = Path(__file__).parent
    digest = sha256()
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).as_posix()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
