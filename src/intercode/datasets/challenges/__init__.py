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
    """A program in a sandbox of its own, which the agent reaches over the network and in no other way.

    Attributes:
        name: The host name by which the agent reaches it.
        port: The port on which the agent reaches it.
        argv: The command.
        files: Files in its sandbox, path → content. The agent cannot see them.
        folder: Where the files are laid out and the command is run.
        mode: `connections`: the command is run anew for each connection, which is its standard input and output.
            `server`: it is run once and listens itself, on *port* of its own 127.0.0.1.

    Raises:
        BadDataError: If the name or the port cannot be one, or the command is empty.
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
    """One capture-the-flag task as an episode gets it.

    The files are laid out, the service is started, and `setup` is run; then the agent comes. The flag is in none of it
    unless the files hold it.

    Attributes:
        flag: The answer. None: the task can be played but not scored.
        folder: Where the agent's shell starts.
        files: Files in the folder, path → content.
        programs: Those of the files that can be executed.
        setup: A command that is run in the folder and must succeed; "" for none.
        service: What the agent reaches over the network.
        published: The flag as the published benchmark has it, where that is another one.
    """

    flag: str | None
    folder: str = "/ctf"
    files: Mapping[str, bytes] = field(default_factory=dict)
    programs: frozenset[str] = frozenset()
    setup: str = ""
    service: Service | None = None
    published: str | None = None


def new_flag(dice: Random, prefix: str = "intercode") -> str:
    """Make a flag that nobody has seen: two words, and 64 bits that cannot be guessed.

    Args:
        dice: Where the words and the bits come from.
        prefix: What stands before the braces.

    Returns:
        The flag: `PREFIX{WORD_WORD_16 HEX DIGITS}`.
    """
    return f"{prefix}{{{dice.choice(WORDS)}_{dice.choice(WORDS)}_{dice.getrandbits(64):016x}}}"
