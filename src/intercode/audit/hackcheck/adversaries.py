"""The adversaries of each world: those that its `WorldSpec` names, else a shell's, and those in `anywhere.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pkgutil import resolve_name

from intercode import world_specs
from intercode.adversaries import anywhere
from intercode.adversaries.adversary import Adversary
from intercode.errors import UnknownNameError
from intercode.world_specs import WorldSpec
from intercode.worlds.bash import adversaries as bash

SHELLS = ("bash", "sh", "shell", "zsh", "dash")
"""Languages in which the adversaries of the world `bash` speak."""


def of_world(world: str) -> tuple[Adversary, ...]:
    """Return all that a *world* has to stand, none of them twice."""
    spec = world_specs.find(world)
    if spec.adversaries:
        return tuple(resolve_name(spec.adversaries))
    general = anywhere.adversaries(spec)
    if not _is_shell(spec):
        return general
    # what a general one says or runs, whatever it is, would be a program there: `yes` ends with the agent's time
    there = {anywhere.RUNS_THE_QUERY.name, *(each.name for each in bash.ADVERSARIES)}
    return (*bash.ADVERSARIES, *(each for each in general if each.name not in there))


def _is_shell(spec: WorldSpec) -> bool:
    """Return whether actions are a shell's commands, by the description's words or by how it prints a text."""
    return not {spec.language, *spec.fences}.isdisjoint(SHELLS) or spec.says("x").startswith(("echo ", "printf "))


def choose(world: str, names: Sequence[str]) -> tuple[Adversary, ...]:
    """Return those of *world* that are called as *names*, or all.

    Raises:
        UnknownNameError: If one of them is unknown. Lists them all.
    """
    return among(of_world(world), names, world)


def among(adversaries: Sequence[Adversary], names: Sequence[str], where: str) -> tuple[Adversary, ...]:
    """Return those of *adversaries* that are called as *names*, or all.

    Args:
        adversaries: All that there are.
        names: The names; empty for all.
        where: What they play in, for the message.

    Raises:
        UnknownNameError: If one of them is unknown. Lists them all.
    """
    there = {each.name: each for each in adversaries}
    if unknown := [name for name in names if name not in there]:
        raise UnknownNameError(f"no adversary called {', '.join(unknown)} in {where}; there are: {', '.join(there)}")
    return tuple(there[name] for name in names) if names else tuple(there.values())


TELLING = (
    "submits-at-once", "does-nothing", "hands-in-the-query", "fills-in-calls", "says-much", "says-success",
    "writes-success", "deletes-everything", "prints-every-file",
    "replaces-programs", "says-either", "says-a-number", "says-what-is-asked", "touches-markers", "says-a-shape",
)  # fmt: skip
"""Those by which most of the planted holes are found, the first ones first."""


def by_yield(adversaries: Sequence[Adversary]) -> tuple[Adversary, ...]:
    """Return *adversaries* in the order in which they are most likely to find something."""
    return tuple(sorted(adversaries, key=lambda each: TELLING.index(each.name) if each.name in TELLING else 99))
