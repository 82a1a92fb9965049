"""A folder that can be published as an OpenEnv environment: its server, its typed client, its Dockerfile."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from pprint import pformat
from string import Template
from typing import Any

from intercode import __version__, datasets
from intercode.datasets.hugging_face.name import folder_of, parts
from intercode.errors import UserError
from intercode.runs import factories
from intercode.runs.settings import Settings
from intercode.worlds.sql.databases import URL, without_password

HERE = Path(__file__).parent
TEMPLATES = HERE / "environment"
COPIED = ("models.py", "client.py")
TASKS = "tasks"
"""Where in the folder the tasks are, if they are the user's own."""

VERSION = "0.1.0"

WARNING = """
## Before you publish it
`tasks/` holds your tasks with their answers. The server keeps them to itself; whoever can read this folder sees them.
"""


def write_package(folder: Path, played: Mapping[str, Any]) -> None:
    """Write an environment that serves what the settings *played* name. The user's own tasks are copied into it.

    Raises:
        UserError: If *folder* holds something or is within the tasks, the settings name what is not there, or they
            hold a password.
    """
    settings = Settings().changed(**played)
    if without_password(settings.database) != settings.database:
        raise UserError("the password of --database would be in the folder: name a server that needs none")
    dataset = factories.load(settings)
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UserError(f"{folder} is no empty folder: name one that is not there yet")
    if settings.reward.endswith(".py"):
        raise UserError(f"{settings.reward} would stay behind: make it reward.py of a task folder, and package that")
    name = re.sub(r"[^a-z0-9]+", "-", f"intercode-{Path(dataset.name).stem}".lower()).strip("-")
    own = _own_tasks(settings.dataset)
    if own is not None:
        if folder.resolve().is_relative_to(own.resolve()):
            raise UserError(f"{folder} is within {own}, which would be copied into it: name a folder elsewhere")
        settings = settings.changed(dataset=_rename(settings.dataset, _copy_tasks(own, folder)))
    changed = {each: getattr(settings, each) for each in played} | {"dataset": settings.dataset}
    world = settings.world or dataset.world
    words = {
        "name": name,
        "module": name.replace("-", "_"),
        "version": VERSION,
        "intercode": __version__,
        "world": Path(world).stem,
        "description": f"{len(dataset)} tasks of {dataset.name} in InterCode's world {Path(world).stem}",
        "settings": pformat(changed, sort_dicts=True, width=110),
        "extras": ",".join(_extras(settings)),
        "fetch": _fetch(settings.dataset),
        "warning": WARNING if own is not None else "",
    }
    _write(folder, words)


def _own_tasks(dataset: str) -> Path | None:
    """Return the user's file or folder that *dataset* names; None for what is fetched or installed by its name."""
    if dataset.startswith(datasets.HUB):
        return folder_of(parts(dataset)[0])
    return Path(dataset) if datasets.is_path(dataset) else None


def _rename(dataset: str, path: str) -> str:
    """Return *dataset* by the *path* of its copy."""
    if not dataset.startswith(datasets.HUB):
        return path
    _, split = parts(dataset)
    return f"{datasets.HUB}./{path}" + (f":{split}" if split else "")


def _extras(settings: Settings) -> list[str]:
    """Return what must be installed with `intercode-env` for *settings* to be served elsewhere."""
    needed = {
        "docker": settings.sandbox == "docker",
        "hf": settings.dataset.startswith(datasets.HUB),
        "mysql": settings.database == "mysql" or URL.match(settings.database) is not None,
        "parquet": settings.dataset.endswith(".parquet"),
        "serve": True,
    }
    return [extra for extra, is_needed in needed.items() if is_needed]


def _copy_tasks(source: Path, folder: Path) -> str:
    """Return the user's file or folder of tasks, into *folder*; what the data set is called there."""
    target = folder / TASKS / source.resolve().name
    target.parent.mkdir(parents=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", ".git"))
    else:
        shutil.copy2(source, target)
    return str(Path(TASKS, target.name))


def _fetch(dataset: str) -> str:
    """Return the line of the Dockerfile that fetches a published data set; "" where nothing is fetched."""
    from intercode.datasets import sources

    commands = {each.name: each.command for each in sources.available()}
    first = dataset.partition("/")[0]
    return f"RUN {commands[first]}" if first in commands else ""


def _write(folder: Path, words: Mapping[str, str]) -> None:
    for template in sorted(each for each in TEMPLATES.rglob("*") if each.is_file() and each.suffix != ".pyc"):
        target = folder / str(template.relative_to(TEMPLATES)).removesuffix(".txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(template.read_text(encoding="utf-8")).substitute(words), encoding="utf-8")
    for each in COPIED:
        shutil.copyfile(HERE / each, folder / each)
    exports = ("CodeAction", "CodeObservation", "CodeState", "IntercodeEnv")
    lines = ["from .client import IntercodeEnv", "from .models import CodeAction, CodeObservation, CodeState", ""]
    lines += [f"__all__ = {list(exports)!r}", ""]
    (folder / "__init__.py").write_text("\n".join(lines), encoding="utf-8")
    (folder / "server" / "__init__.py").touch()
