"""What may be known of each world: a folder's name is a world's name, and its `SPEC` describes it.

This is the part of a world that agents see, so it lies below them, and holds prompts beside the description. The part
that runs code and judges is `intercode.envs.NAME`. A world from another package has both in one: its environment, named
in the entry point group `intercode.envs`, has a `world_spec`.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from intercode import registry
from intercode.worlds.spec import WorldSpec

__all__ = ["WorldSpec", "find", "from_name", "names"]

_OURS = tuple(sorted(module.name for module in iter_modules(__path__) if module.ispkg))


def names() -> tuple[str, ...]:
    """The names of our own worlds, sorted. Nothing is imported."""
    return _OURS


def find(name: str) -> WorldSpec:
    """The description of a world: ours, installed, or in a file that has been loaded.

    Records may name worlds that are not installed: then only the name is known. No file of code is run for it.
    """
    env = None if name in _OURS else registry.find_loaded("envs", name)
    if env is None:
        return from_name(name)
    spec: WorldSpec = env.world_spec
    return spec


def from_name(name: str) -> WorldSpec:
    """The description of our own world *name*; for any other name, a description that holds only the name."""
    if name not in _OURS:
        return WorldSpec(name, language="" if name.endswith(".py") else name)
    spec: WorldSpec = import_module(f"{__name__}.{name}").SPEC
    return spec
