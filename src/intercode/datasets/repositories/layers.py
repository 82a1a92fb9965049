"""A repository as layers of an image: files of ours with a history of ours, and pytest where an image may lack it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from shlex import quote

from intercode.datasets.repositories.exam import ROOT
from intercode.errors import ImageError
from intercode.sandboxes.images.files import CREATED, FilesLayer
from intercode.sandboxes.images.script import ScriptLayer

PYTEST = "/opt/pytest"
"""Where `pytest_layers` puts it; PYTHONPATH has to name it."""

_PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
"""pytest and what it imports, all of it plain Python."""

_COMPILE = f"python3 -m compileall -q --invalidation-mode unchecked-hash {PYTEST} && python3 -m pytest --version"

DAY = 86400

SETTINGS = """
git config user.name intercode
git config user.email intercode@localhost
git config core.checkStat minimal
git config core.trustctime false
git config gc.auto 0
"""
"""Of every repository. The index must hold for the copy of a file in another session, whose times and inodes differ."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One step of a made-up history: a message, and which of the files come with it."""

    message: str
    paths: tuple[str, ...]


def tree_layer(tree: Mapping[str, bytes], *, title: str) -> FilesLayer:
    """The files of a repository, paths from its root."""
    return FilesLayer({f"{ROOT}/{path}": content for path, content in tree.items()}, title=title)


def history_layer(commits: Sequence[Commit]) -> ScriptLayer:
    """A repository at `ROOT` with *commits*, a day apart; the same on every machine. Fails if files are left over."""
    lines = ["set -e", f"cd {ROOT}", "git -c init.defaultBranch=main -c init.templateDir= init -q", SETTINGS]
    for number, commit in enumerate(commits):
        when = f"{CREATED + (number - len(commits)) * DAY} +0000"
        lines.append(f"git add -- {' '.join(map(quote, commit.paths))}")
        lines.append(f"GIT_AUTHOR_DATE='{when}' GIT_COMMITTER_DATE='{when}' git commit -q -m {quote(commit.message)}")
    lines.append('left=$(git status --porcelain); if [ -n "$left" ]; then echo "not committed: $left"; exit 1; fi')
    return ScriptLayer("\n".join(lines), title="the repository's history")


def pytest_layers() -> tuple[FilesLayer, ScriptLayer]:
    """This program's own pytest, for images that have none, and its compiled files, without which it begins slowly.

    Raises ImageError where pytest cannot be read; building fails where the image's Python is too old for it.
    """
    found: dict[str, bytes] = {}
    for name in _PYTEST:
        try:
            listed = files(name) or []
        except PackageNotFoundError as error:
            raise ImageError(f"the tests of this task need {name}: pip install pytest") from error
        for path in listed:
            if ".." not in path.parts and path.suffix != ".pyc":
                found[f"{PYTEST}/{path.as_posix()}"] = Path(path.locate()).read_bytes()
    compiled = ScriptLayer(_COMPILE, env={"PYTHONPATH": PYTEST}, title="pytest, compiled by the image's Python")
    return FilesLayer(found, title="pytest"), compiled
