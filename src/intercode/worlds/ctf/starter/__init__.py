"""The starter challenges: each is made anew from a seed, its flag and everything around it, by code of ours.

A challenge is a function that throws dice: `make(dice, flag)`. It lays out files for the agent, and perhaps a service.
Nothing in the files tells the flag but what the challenge is about. The same seed makes the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from intercode.datasets.challenges import Challenge, Service

Make = Callable[[Random, str], Challenge]


@dataclass(frozen=True, slots=True)
class ChallengeRecipe:
    """One starter challenge."""

    name: str
    difficulty: str
    query: str
    make: Make


def given(name: str) -> bytes:
    """A file of ours that the agent gets."""
    return (Path(__file__).parent / "given" / name).read_bytes()


def program(name: str) -> bytes:
    """A service's program."""
    return (Path(__file__).parent / "services" / name).read_bytes()


def connections(name: str, port: int, script: str, flag: str, **files: str) -> Service:
    """A service that runs *script* anew for each connection, beside `flag.txt` and *files* (`seed` is `seed.txt`)."""
    texts = {f"{stem}.txt": text.encode() for stem, text in {"flag": flag, **files}.items()}
    return Service(name, port, ("python3", "-u", script), {script: program(script), **texts})
