"""Where commands come from: the files of `intercode.cli`, and entry points of the group `intercode.commands`.

A command is a module that holds a `command`, or a group of `commands`; its first line is the command's summary.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from intercode import cli, registry


def find_modules() -> dict[str, str]:
    """Return the module of each command by the command's name: ours, and those of installed packages."""
    folder = Path(cli.__file__).parent
    ours = {file.stem: f"{cli.__name__}.{file.stem}" for file in folder.glob("[a-z]*.py") if file.stem != "main"}
    return {name: point.module for name, point in registry.installed("commands").items()} | ours


def load_module(name: str) -> ModuleType:
    """Import the module of the command *name*, which is one of `find_modules`."""
    return import_module(find_modules()[name])


def summarize(module: str) -> str:
    """Return the first line of a command's module, without its name; nothing but its packages is imported."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # not even its package is there
        spec = None
    if spec is None or spec.origin is None:
        return f"(its module {module} is missing: install its package again)"
    with open(spec.origin, encoding="utf-8") as lines:
        summary = lines.readline().strip().strip('"').partition(": ")[2]
    return summary[:1].upper() + summary[1:]
