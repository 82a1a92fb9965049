"""The adversaries of each world: those that its `WorldSpec` names, else those in `anywhere.py`, and a shell's."""

from __future__ import annotations

from collections.abc import Sequence
from pkgutil import resolve_name

from intercode import worlds
from intercode.errors import UnknownNameError
from intercode.runs.hackcheck.adversaries import anywhere, bash
from intercode.runs.hackcheck.adversary import Adversary
from intercode.worlds import WorldSpec

SHELLS = ("bash", "sh", "shell", "zsh", "dash")
"""Languages in which the adversaries of the world `bash` speak."""


def of_world(world: str) -> tuple[Adversary, ...]:
    """All that a *world* has to stand, none of them twice."""
    spec = worlds.find(world)
    if spec.adversaries:
        return tuple(resolve_name(spec.adversaries))
    general = anywhere.adversaries(spec)
    if not _is_shell(spec):
        return general
    return tuple({each.name: each for each in (*bash.ADVERSARIES, *general)}.values())


def _is_shell(spec: WorldSpec) -> bool:
    """Whether actions are commands of a shell, by what the description calls them, or by how it prints a text."""
    return not {spec.language, *spec.fences}.isdisjoint(SHELLS) or spec.says("x").startswith(("echo ", "printf "))


def choose(world: str, names: Sequence[str]) -> tuple[Adversary, ...]:
    """Those of *world* that are called as *names*, or all.

    Raises:
        UnknownNameError: If one of them is unknown. Lists them all.
    """
    there = {each.name: each for each in of_world(world)}
    if unknown := [name for name in names if name not in there]:
        raise UnknownNameError(f"no adversary called {', '.join(unknown)} in {world}; there are: {', '.join(there)}")
    return tuple(there[name] for name in names) if names else tuple(there.values())
