"""`intercode new`: create a task or a world of your own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from intercode import world_specs
from intercode.cli.shared.program_name import program_name, quote_path
from intercode.errors import UserError
from intercode.types import DEFAULT_WORLD

HERE = Path(__file__).parent / "templates"
"""What belongs to no world: the template of one that is none of ours, and a reward for all that ask for it."""

CUSTOM = "custom"
"""A world that is none of ours: its code is in the template."""

THERE = sorted((CUSTOM, *(name for name in world_specs.names() if world_specs.find(name).template)))
"""What there is here; an installed world may bring a template of its own."""


def template_of(world: str) -> Path:
    """Return the folder to copy for *world*, which works as it is.

    Raises:
        UserError: If it has none; the message lists those that have.
    """
    template = HERE / CUSTOM if world == CUSTOM else world_specs.find(world).template
    if template is None:
        raise UserError(f"no template for the world {world!r}; there are: {', '.join(THERE)}")
    return template


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder to create; its name is the prefix of the task ids.")
    ],
    world: Annotated[
        str,
        typer.Option(
            metavar="NAME", help=f"The world to start from: {', '.join(THERE)}; custom is a world of your own."
        ),
    ] = DEFAULT_WORLD,
    reward: Annotated[bool, typer.Option("--reward", help="Add a reward of your own, in Python.")] = False,
) -> None:
    """Create a task or a world of your own: a working folder, with comments on what to change."""
    _copy(template_of(world), folder, with_reward=reward)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        print(f"made {path}")
    place = quote_path(folder)
    print(f"\ntry it yourself:       {program_name()} play --world {place}")
    print(f"let its golds play:    {program_name()} run --world {place}")
    print(f"try to cheat it:       {program_name()} hackcheck --world {place}")


def _copy(template: Path, folder: Path, *, with_reward: bool) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} already exists and is not empty: choose another name")
    try:
        shutil.copytree(template, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        if with_reward:
            shutil.copyfile(HERE / "reward.py", folder / "reward.py")
    except shutil.Error as error:  # it has a line for each file
        _, path, reason = error.args[0][0]
        raise UserError(f"cannot make {path}: {reason}") from error
    except OSError as error:
        raise UserError(f"cannot make {folder}: {error.strerror or error}") from error
