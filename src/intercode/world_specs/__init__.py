"""What may be known of each world: the name of a folder in `worlds/` is a world's name, and its `SPEC` describes it.

This is the part of a world that agents see, so it lies below them: `intercode.worlds.NAME.spec` imports nothing of
what runs code and judges, which is `intercode.worlds.NAME.env`. A world from another package has both in one: its
environment, named in the entry point group `intercode.envs`, has a `world_spec`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from intercode import registry
from intercode.world_specs.spec import WorldSpec

__all__ = ["WorldSpec", "find", "from_name", "names"]

_ROOMS = Path(__file__).parents[1] / "worlds"
_OURS = tuple(sorted(module.name for module in iter_modules([str(_ROOMS)]) if module.ispkg))


def names() -> tuple[str, ...]:
    """Return the names of our own worlds, sorted. Nothing is imported."""
    return _OURS


def find(name: str) -> WorldSpec:
    """Return the description of a world: ours, installed, or in a file that has been loaded.

    Records may name worlds that are not installed: then only the name is known. No file of code is run for it.
    """
    env = None if name in _OURS else registry.find_loaded("envs", name)
    if env is None:
        return from_name(name)
    spec: WorldSpec = env.world_spec
    return spec


def from_name(name: str) -> WorldSpec:
    """Return the description of our own world *name*; for any other name, a description that holds only the name."""
    if name not in _OURS:
        return WorldSpec(name, language="" if name.endswith(".py") else name)
    spec: WorldSpec = import_module(f"intercode.worlds.{name}.spec").SPEC
    return spec
