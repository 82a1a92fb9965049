"""The adversaries of each world: `bash.py` holds `ADVERSARIES` for the world `bash`, and so on; there is no table.

Another package's world brings its own through the entry point group `intercode.adversaries`: the world's name, and
where its sequence of `Adversary` is. A world that brings none meets those in `anywhere.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules

from intercode.errors import UnknownNameError
from intercode.runs.hackcheck.adversaries import anywhere
from intercode.runs.hackcheck.adversary import Adversary


def of_world(world: str) -> tuple[Adversary, ...]:
    """All that a *world* has to stand, none of them twice."""
    for point in entry_points(group="intercode.adversaries"):
        if point.name == world:
            return tuple(point.load())
    if world in {module.name for module in iter_modules(__path__)}:
        found: Sequence[Adversary] = import_module(f"{__name__}.{world}").ADVERSARIES
        return tuple(found)
    return anywhere.ADVERSARIES


def choose(world: str, wanted: Sequence[str]) -> tuple[Adversary, ...]:
    """Those of *world* that are called as *wanted*, or all. Raises UnknownNameError, listing them."""
    there = {each.name: each for each in of_world(world)}
    if unknown := [name for name in wanted if name not in there]:
        raise UnknownNameError(f"no adversary called {', '.join(unknown)} in {world}; there are: {', '.join(there)}")
    return tuple(there[name] for name in wanted) if wanted else tuple(there.values())
