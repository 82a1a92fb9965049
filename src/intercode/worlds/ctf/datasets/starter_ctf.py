"""Our own capture-the-flag tasks, made anew from every episode's seed: nothing to download, nothing to memorise."""

from __future__ import annotations

from hashlib import sha256
from random import Random

from intercode.datasets.base import ListedDataset
from intercode.datasets.challenges import Challenge, new_flag
from intercode.types import Task
from intercode.worlds.ctf.starter import ChallengeRecipe, cryptography, exploitation, forensics, general, reverse

CATEGORIES: dict[str, tuple[ChallengeRecipe, ...]] = {
    "general skills": general.RECIPES,
    "reverse engineering": reverse.RECIPES,
    "forensics": forensics.RECIPES,
    "cryptography": cryptography.RECIPES,
    "web and binary exploitation": exploitation.RECIPES,
}


class StarterCtfDataset(ListedDataset):
    """The challenges of `starter/`, ids `starter-ctf/NAME`, in five categories, from easy to hard.

    A flag is `intercode{…}`. Flag, files and services follow from the episode's seed, so a task's gold is only there
    once an episode has begun. All can be solved with Python alone.
    """

    name = "starter-ctf"
    world = "ctf"

    def __init__(self) -> None:
        self._recipes = {
            f"starter-ctf/{recipe.name}": (recipe, category)
            for category, recipes in CATEGORIES.items()
            for recipe in recipes
        }
        self._tasks = tuple(
            Task(name, f"{recipe.query} {FORMAT}", None, "ctf", category, recipe.difficulty)
            for name, (recipe, category) in self._recipes.items()
        )

    @property
    def checksum(self) -> str:
        """Of the tasks, and of what they stand on in the episodes of one seed."""
        made = [repr(self.challenge(task, 0)) for task in self]
        return sha256("\n".join([super().checksum, *made]).encode()).hexdigest()

    def challenge(self, task: Task, seed: int) -> Challenge:
        """Return the task's challenge, made by dice that *seed* loads."""
        recipe, _ = self._recipes[task.id]
        dice = Random(f"{task.id} {seed}")
        return recipe.make(dice, new_flag(dice))


FORMAT = "(Hand it in as: submit intercode{...})"
