"""A file's name is a plug-in's name; entry points add more.

`sandboxes/docker.py` is `--sandbox docker`: there is no table to edit. Every module of a kind's folder but `base.py`
is a plug-in (what several of them share lives in sub-folders), and holds one class named after file and folder:
`sandboxes/docker.py` has `DockerSandbox`, `agents/try_again.py` has `TryAgainAgent`. Other packages join through the
entry point group `intercode.KIND`, e.g. `intercode.sandboxes`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Any

from intercode.errors import UnknownName

KINDS = {
    "sandboxes": "Sandbox",
    "databases": "Database",
    "datasets": "Dataset",
    "models": "Model",
    "agents": "Agent",
    "envs": "Env",
}
"""Folder of a kind, and the noun that ends the names of its classes."""


@cache
def _outside(kind: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=f"intercode.{kind}")}


@cache
def _inside(kind: str) -> frozenset[str]:
    folder = import_module(f"intercode.{kind}").__path__
    return frozenset(module.name for module in iter_modules(folder) if not module.ispkg and module.name != "base")


def names(kind: str) -> list[str]:
    """The names of all plug-ins of a *kind* (a key of `KINDS`), ours and installed ones, sorted."""
    return sorted({*(name.replace("_", "-") for name in _inside(kind)), *_outside(kind)})


def find(kind: str, name: str) -> Any:
    """The plug-in class of that *kind* and *name* (`-` and `_` are the same). Raises UnknownName, listing all names."""
    key = name.replace("-", "_")
    if key in _inside(kind):
        return _class_in(kind, key)
    if name in _outside(kind):
        return _outside(kind)[name].load()
    raise UnknownName(f"no {kind} called {name!r}; there are: {', '.join(names(kind))}")


def _class_in(kind: str, key: str) -> Any:
    module = import_module(f"intercode.{kind}.{key}")
    wanted = (key.replace("_", "") + KINDS[kind]).lower()
    return next(value for name, value in vars(module).items() if name.lower() == wanted)
