"""A repository as layers of an image: one of ours, made on the spot, or one that exists, at a commit of it."""

from __future__ import annotations

import logging
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from shlex import quote

from intercode.datasets.repositories.source import RepositorySource, missing_parts
from intercode.datasets.repositories.test_spec import ROOT
from intercode.errors import ImageError
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.files_layer import CREATED, FilesLayer
from intercode_sandbox.images.image import Layer, LayerBuilder
from intercode_sandbox.images.script_layer import ScriptLayer

PYTEST = "/opt/pytest"
"""Where `pytest_layers` puts it; PYTHONPATH has to name it."""

_PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
"""pytest and what it imports, all of it plain Python."""

_COMPILE = f"""
set -e
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "tests with pytest need Python 3.11 or later, and here is $(python3 --version): try --image debian:bookworm"
    exit 1
fi
python3 -m compileall -q --invalidation-mode unchecked-hash {PYTEST}
python3 -m pytest --version
"""

DAY = 86400

_SETTINGS = """
git config user.name intercode
git config user.email intercode@localhost
git config core.bare false
git config core.checkStat minimal
git config core.trustctime false
git config gc.auto 0
"""
"""Of every repository. The index must hold for the copy of a file in another session, whose times and inodes differ."""

_CHECK_OUT = f"""
set -e
cd {ROOT}
{_SETTINGS}
git -c core.logAllRefUpdates=false reset --quiet --hard
find . -path ./.git -prune -o -print0 | xargs -0 touch --no-dereference --date="@$(git log -1 --format=%ct)"
git update-index -q --refresh
rm -rf .git/logs .git/ORIG_HEAD
"""
"""All files get the time of the commit; git then need not read them again to know that they are unchanged."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One step of a made-up history: a message, and which of the files come with it."""

    message: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class RepositoryLayer(Layer):
    """The history of *source* up to *commit*, as `/testbed/.git`, no files; `check_out_layer` goes on top of it.

    *history* is how many commits back it reaches in any line, 0 for all.
    """

    source: RepositorySource
    commit: str
    history: int

    def __str__(self) -> str:
        return f"{self.source.repo} at {self.commit[:12]}"

    @cached_property
    def key(self) -> str:
        """Of the commit, which names its content wherever it comes from."""
        return recipe_key("repository", self.source.repo, self.commit, self.history)

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Fetch it from the source and unpack it as the sandbox's root owns it.

        Raises:
            ImageError: If the commit cannot be had.
        """
        bare, archive = target.parent / "repository.git", target.parent / "repository.tar"
        bare.mkdir()
        self.source.extract(self.commit, self.history, bare)
        for what in missing_parts(bare, self.commit):
            logging.getLogger(__name__).warning("%s: %s", self, what)
        with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as packed:
            packed.add(bare, f"{ROOT.lstrip('/')}/.git", filter=_as_root)
        layer_builder.unpack(archive, target)
        layer_builder.remove(bare)


def check_out_layer() -> ScriptLayer:
    """Return the files of the commit that a `RepositoryLayer` below holds."""
    return ScriptLayer(_CHECK_OUT, title="the files of the commit")


def no_repository_layer() -> ScriptLayer:
    """Takes away what an image has of git at `ROOT`: it may hold what came after a task's base commit."""
    return ScriptLayer(f"rm -rf {ROOT}/.git", title="no other repository")


def tree_layer(tree: Mapping[str, bytes], *, title: str) -> FilesLayer:
    """Return the files of a repository of ours, paths from its root."""
    return FilesLayer({f"{ROOT}/{path}": content for path, content in tree.items()}, title=title)


def history_layer(commits: Sequence[Commit]) -> ScriptLayer:
    """Return a repository at `ROOT` with *commits*, a day apart; the same on every machine.

    Fails if files are left over.
    """
    lines = ["set -e", f"cd {ROOT}", "git -c init.defaultBranch=main -c init.templateDir= init -q", _SETTINGS]
    for number, commit in enumerate(commits):
        when = f"{CREATED + (number - len(commits)) * DAY} +0000"
        lines.append(f"git add -- {' '.join(map(quote, commit.paths))}")
        lines.append(f"GIT_AUTHOR_DATE='{when}' GIT_COMMITTER_DATE='{when}' git commit -q -m {quote(commit.message)}")
    lines.append('left=$(git status --porcelain); if [ -n "$left" ]; then echo "not committed: $left"; exit 1; fi')
    lines.append("rm -rf .git/logs")
    return ScriptLayer("\n".join(lines), title="the repository's history")


@cache
def pytest_layers() -> tuple[FilesLayer, ScriptLayer]:
    """This program's own pytest, for images that have none, and its compiled files, without which it begins slowly.

    Raises:
        ImageError: If pytest cannot be read; building fails where the image's Python is too old for it.
    """
    found: dict[str, bytes] = {}
    for name in _PYTEST:
        try:
            listed = files(name) or []
        except PackageNotFoundError as error:
            raise ImageError(
                f"the tests of this task need {name}, which neither its image nor this machine has: "
                "pip install 'intercode-env[testing]'"
            ) from error
        for path in listed:
            if ".." not in path.parts and path.suffix != ".pyc":
                found[f"{PYTEST}/{path.as_posix()}"] = Path(path.locate()).read_bytes()
    compiled = ScriptLayer(_COMPILE, env={"PYTHONPATH": PYTEST}, title="pytest, compiled by the image's Python")
    return FilesLayer(found, title="pytest"), compiled


def _as_root(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    info.mode = 0o755 if info.isdir() else 0o644
    return info
