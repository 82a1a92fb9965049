"""Plug-ins in files of a user's own: a class that cannot be called as it is called here is refused by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import intercode
from intercode import databases, datasets, registry, rewards
from intercode.errors import BadDataError

BASES = {
    "agents": "intercode.agents.base import Agent",
    "databases": "intercode.databases.base import Database",
    "datasets": "intercode.datasets.base import Dataset",
    "envs": "intercode.envs.base import Env",
    "loggers": "intercode.loggers.base import Logger",
    "rewards": "intercode.rewards.base import Reward",
    "sandboxes": "intercode.sandboxes.base import Sandbox",
}
WAYS: dict[str, Callable[[str], object]] = {
    "agents": lambda file: registry.create("agents", file),
    "databases": databases.find,
    "datasets": datasets.load,
    "envs": lambda file: intercode.make("starter", world=file),
    "loggers": lambda file: registry.create("loggers", file),
    "rewards": rewards.find,
    "sandboxes": lambda file: intercode.make("starter", sandbox=file),
}
"""How users name a file."""


def own(folder: Path, kind: str, body: str) -> str:
    """A file with a class of that *kind*."""
    noun = registry.KINDS[kind]
    file = folder / f"own_{kind}.py"
    file.write_text(f"from {BASES[kind]}\n\nclass Own{noun}({noun}):\n    {body}\n")
    return str(file)


@pytest.mark.parametrize("kind", BASES)
def test_a_class_that_lacks_a_method_is_told_which(tmp_path: Path, kind: str) -> None:
    file = own(tmp_path, kind, "pass")
    lacks = ", ".join(sorted(registry.find(kind, file).__abstractmethods__))
    noun = registry.KINDS[kind]
    said = f"{file}: Own{noun} does not define {lacks}, which every {registry.WORDS.get(noun, noun.lower())} has to"
    with pytest.raises(BadDataError, match=f"^{re.escape(said)}$"):
        WAYS[kind](file)


@pytest.mark.parametrize("kind", [kind for kind in WAYS if kind != "agents"])
def test_a_constructor_that_needs_more_than_it_gets_is_told_what(tmp_path: Path, kind: str) -> None:
    file = own(tmp_path, kind, "def __init__(self, *given, size, **options): pass")
    registry.find(kind, file).__abstractmethods__ = frozenset()
    said = f"{file}: Own{registry.KINDS[kind]}() needs size: give it a default"
    with pytest.raises(BadDataError, match=f"^{re.escape(said)}$"):
        WAYS[kind](file)


def test_a_constructor_that_takes_less_than_it_gets_is_told_what(tmp_path: Path) -> None:
    file = own(tmp_path, "databases", "def __init__(self, url): pass")
    registry.find("databases", file).__abstractmethods__ = frozenset()
    with pytest.raises(BadDataError, match=r"py: OwnDatabase\(\) got an unexpected keyword argument 'progress'$"):
        databases.find(file)


@pytest.mark.parametrize("kind", WAYS)
def test_a_file_that_is_not_python_is_named_with_its_line(tmp_path: Path, kind: str) -> None:
    """Only a reward's was; others ended in a trace."""
    file = own(tmp_path, kind, "def __init__(self:")
    with pytest.raises(BadDataError, match=rf"own_{kind}.py, line 4: it is not Python: "):
        WAYS[kind](file)


def test_an_error_within_a_constructor_is_its_authors_and_keeps_its_trace(tmp_path: Path) -> None:
    file = own(tmp_path, "rewards", "score = None\n    def __init__(self): len(1)")
    with pytest.raises(TypeError, match=r"object of type 'int' has no len"):
        rewards.find(file)
