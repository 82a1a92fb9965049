"""What dead programs of ours have left at an engine: containers and images of snapshots, by their labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from intercode_sandbox.engine.command import Command, find_programs, last_line
from intercode_sandbox.engine.owner import is_dead
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images.engine_store import LABEL

_OWNER = '{{.Id}} {{index .Config.Labels "' + LABEL + '"}}'
_LISTS: Sequence[tuple[Literal["container", "image"], Sequence[str]]] = (
    ("container", ("ps", "--all")),
    ("image", ("images",)),
)
"""Containers come first, since they hold the others."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """One of them; `owner` is the process that made it, as `owner.py` writes it."""

    kind: Literal["container", "image"]
    id: str
    owner: str


def engines() -> list[Command]:
    """Return the engines that answer here: Docker's command and Podman's may speak to two.

    Raises:
        SandboxError: If none does.
    """
    found: list[Command] = []
    silence = None
    for program in find_programs():
        engine = Command(program=program)
        try:
            engine.version()
        except SandboxError as error:
            silence = silence or error
        else:
            found.append(engine)
    if not found and silence is not None:
        raise silence
    return found


def owned(engine: Command) -> Iterator[Leftover]:
    """Yield all at *engine* that has an owner's label, dead or not."""
    for kind, words in _LISTS:
        said = engine.call(f"listing {kind}s", *words, "--quiet", "--no-trunc", "--filter", f"label={LABEL}")
        for each in dict.fromkeys(said.decode().split()):
            line = last_line(engine.try_call(kind, "inspect", "--format", _OWNER, each)[1])  # empty: it has just gone
            name, _, owner = line.partition(" ")
            if owner:
                yield Leftover(kind, name, owner)


def find_leftovers(engine: Command) -> list[Leftover]:
    """Return all whose owner is dead.

    Raises:
        SandboxError: If the engine does not list them.
    """
    return [each for each in owned(engine) if is_dead(each.owner)]


def clean(engine: Command) -> list[Leftover]:
    """Remove them; what was removed. An image that something else is made of stays."""
    return [each for each in find_leftovers(engine) if _remove(engine, each)]


def _remove(engine: Command, leftover: Leftover) -> bool:
    words: Sequence[str] = ("image", "rm", "--force")
    if leftover.kind == "container":
        words = ("rm", "--force", "--volumes")
    return engine.try_call(*words, leftover.id)[0] == 0
