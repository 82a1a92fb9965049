"""Which data set is played, and in which world."""

from __future__ import annotations

import re

from intercode.errors import UserError
from intercode.types import DEFAULT_WORLD


def dataset(name: str | None, world: str | None) -> str | None:
    """Return *name*, or the first data set to try in a *world* that the usual one is not for."""
    from intercode import registry, world_specs

    if name or world is None or world == DEFAULT_WORLD:
        return name or None
    return world if registry.is_in_file("datasets", world) else world_specs.find(world).starter or None


def dataset_and_world(name: str | None, world: str | None) -> dict[str, str | None]:
    """Return the settings `dataset` and `world`.

    A *world* that is a task's folder, or one installed, brings its own tasks, and so does a file with a data set.

    Raises:
        UserError: If it is to play others.
    """
    from intercode import datasets, registry
    from intercode.datasets.folder import NAME, is_own

    world = _without_gymnasium_prefix(world)
    if world is None or world in registry.names("envs") or not is_own(world):
        if world is not None and "/" in world and not world.endswith(".py"):
            raise UserError(f"{world} is not a task's folder: it has no {NAME} (intercode new {world} makes one)")
        return {"dataset": dataset(name, world), "world": world}
    if name is not None:
        raise UserError(f"{world} brings its own tasks: leave out the data set {name}")
    is_taken = datasets.plugin(world) != "task-folder"  # a folder here that is called like a data set of ours
    return {"dataset": f"./{world}" if is_taken else world, "world": None}


def _without_gymnasium_prefix(world: str | None) -> str | None:
    """Return *world*, where it is a name at Gymnasium (`intercode/Bash-v1`) as we call it."""
    from intercode import registry

    found = re.fullmatch(r"(?:intercode:)?intercode/([\w-]+)-v1", world or "")
    name = found[1] if found else ""
    return next((each for each in registry.names("envs") if each.lower() == name.lower()), world)
