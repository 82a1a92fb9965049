"""What a capture-the-flag task stands on: a flag, files to find it in, and perhaps a service to get it from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from intercode.errors import BadDataError

WORDS = (
    *("amber", "basalt", "cedar", "dune", "ember", "fjord", "gravel", "harbor", "indigo", "juniper", "kelp", "lantern"),
    *(
        "maple",
        "nickel",
        "orchid",
        "pebble",
        "quartz",
        "raven",
        "saffron",
        "tundra",
        "umber",
        "velvet",
        "willow",
        "zephyr",
    ),
)

_NAME = re.compile(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\Z")
"""What a host may be called."""


@dataclass(frozen=True, slots=True)
class Service:
    """A program that runs in a sandbox of its own, which the agent reaches as *name* on *port*, and at nothing else.

    *files* (path → content) are laid out there, where the agent cannot see them; *argv* is run in *folder*. A service
    for `connections` is run anew for each one, which is its standard input and output. A `server` is run once and
    listens itself, on *port* of its own 127.0.0.1. Raises BadDataError for a name or port that cannot be one.
    """

    name: str
    port: int
    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    folder: str = "/srv"
    mode: Literal["connections", "server"] = "connections"

    def __post_init__(self) -> None:
        if not _NAME.match(self.name) or self.name == "localhost":
            raise BadDataError(
                f"a service cannot be called {self.name!r}: small letters, digits and - make a host's name"
            )
        if not 1 <= self.port <= 65535:
            raise BadDataError(f"the service {self.name} cannot listen on port {self.port}: ports are 1 to 65535")
        if not self.argv:
            raise BadDataError(f"the service {self.name} has no command to run")
        if self.mode not in ("connections", "server"):
            raise BadDataError(f"the service {self.name} is for `connections` or a `server`, not {self.mode!r}")


@dataclass(frozen=True, slots=True)
class Challenge:
    """One task as an episode gets it.

    The agent's shell starts in *folder*, where *files* (path in it → content) are laid out, those in *programs* to be
    executed; then the service is started and the command *setup* run, which must succeed, and then the agent comes. The
    flag is in none of it unless the files hold it; where it is None, the task can be played but not scored. *published*
    is the flag as the published benchmark has it, where that is another one.
    """

    flag: str | None
    folder: str = "/ctf"
    files: Mapping[str, bytes] = field(default_factory=dict)
    programs: frozenset[str] = frozenset()
    setup: str = ""
    service: Service | None = None
    published: str | None = None


def new_flag(dice: Random, prefix: str = "intercode") -> str:
    """A flag that nobody has seen: two words, and 64 bits that cannot be guessed."""
    return f"{prefix}{{{dice.choice(WORDS)}_{dice.choice(WORDS)}_{dice.getrandbits(64):016x}}}"
