"""The environment of a task of one's own, whichever world it is for."""

from __future__ import annotations

from typing import Any

from intercode.datasets.folder import is_own
from intercode.envs.base import Env
from intercode.envs.core import make as core
from intercode.errors import UserError


def make(world: str, **options: Any) -> Env:
    """The environment of the folder *world*, or of the one installed under that name; *options* are its world's.

    Raises:
        UserError: For no such folder.
    """
    if not is_own(world):
        raise UserError(f"{world!r} is not a task's folder: it has no task.toml (intercode new {world} makes one)")
    return core.make(world, **options)
