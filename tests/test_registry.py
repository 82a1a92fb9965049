"""Plug-ins in files of a user's own: a class that cannot be called as it is called here is refused by its name."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import intercode
from intercode import datasets, registry, rewards
from intercode.errors import BadDataError
from intercode.worlds.sql import databases

BASES = {
    "agents": "intercode.agents.base import Agent",
    "databases": "intercode.types.databases import Database",
    "datasets": "intercode.datasets.base import Dataset",
    "envs": "intercode.env.env import Env",
    "loggers": "intercode.loggers.base import Logger",
    "rewards": "intercode.rewards.base import Reward",
    "sandboxes": "intercode_sandbox.sandbox import Sandbox",
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


def test_a_file_that_two_threads_want_is_run_once_and_given_whole(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(0.3)\nhere = object()\n")
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(registry.load_file, [slow, slow])
    assert one.here is other.here


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of somebody's own, with a sandbox, and another one that has the name of one of ours."""
    (tmp_path / "drawer.py").write_text(
        "from intercode_sandbox.scripted import ScriptedSandbox\nclass DrawerSandbox(ScriptedSandbox): pass\n"
    )
    about = tmp_path / "drawer-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: drawer\nVersion: 1\n")
    points = "drawer = drawer:DrawerSandbox\nscripted = drawer:DrawerSandbox\n"
    (about / "entry_points.txt").write_text(f"[intercode.sandboxes]\n{points}")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])  # the last of a name would count
    registry._outside.cache_clear()
    yield
    registry._outside.cache_clear()


def test_a_sandbox_of_another_package_is_found_by_its_entry_point(installed: None) -> None:
    assert "drawer" in registry.names("sandboxes")
    assert registry.find("sandboxes", "drawer").__name__ == "DrawerSandbox"


def test_of_two_sandboxes_with_one_name_ours_counts(installed: None) -> None:
    assert registry.find("sandboxes", "scripted").__name__ == "ScriptedSandbox"


@pytest.mark.parametrize("name", ["try-again", "try_again"])
def test_hyphens_and_underscores_are_the_same(name: str) -> None:
    assert registry.find("agents", name).__name__ == "TryAgainAgent"
