"""The environment of a user's own tasks, whichever world they are for."""

from __future__ import annotations

from typing import Any

from intercode import registry
from intercode.datasets.folder import is_own
from intercode.env import make as core
from intercode.env.env import Env
from intercode.errors import UserError


def make(world: str, **options: Any) -> Env:
    """Return the environment of the tasks at *world*.

    Args:
        world: A task's folder, the name of an installed one, or a Python file with a world and a data set.
        **options: Those of the world.

    Raises:
        UserError: If there is no such folder or file.
    """
    if not is_own(world) and not registry.is_in_file("envs", world):
        raise UserError(f"{world!r} is not a task's folder: it has no task.toml (intercode new {world} makes one)")
    return core.make(world, **options)
