"""Where a repository comes from: a folder of mirrors, or a clone that is made once and kept in the cache."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from intercode.errors import ImageError, UserError
from intercode_sandbox.util import paths
from intercode_sandbox.util.locks import locked
from intercode_sandbox.util.system_packages import install_command
from intercode_sandbox.util.text import clauses

HOST = "https://github.com"
"""Serves repositories as HOST/OWNER/NAME."""

_HOST = re.compile(r"(https?|ssh|git|file)://[^-\s]\S*\Z")

WAY_OUT = "name a folder of mirrors by the data set's option repositories=FOLDER"

LFS_POINTER = "version https://git-lfs.github.com/spec/v1"
"""The first line of a file that stands for another."""

MOST_NAMED = 5
"""Paths that a warning names."""

CLONE_SECONDS, FETCH_SECONDS = 3600, 600


@dataclass(frozen=True, slots=True)
class RepositorySource:
    """*repo* is `OWNER/NAME`. It is looked for in *folder*, as OWNER/NAME or OWNER__NAME, with or without `.git`.

    Without a folder it is cloned from *host* into the cache.

    Raises:
        UserError: For a host that is none.
    """

    repo: str
    folder: Path | None = None
    host: str = HOST

    def __post_init__(self) -> None:
        if not _HOST.match(self.host):
            raise UserError(f"{self.host!r} is not an address of repositories: give one such as {HOST}")

    def extract(self, commit: str, history: int, target: Path) -> None:
        """Make the empty folder *target* a bare repository with *commit* as its branch `main`, and nothing later.

        It has *history* commits at most in any line before it (0: all). Nothing else of the source comes along: no
        other objects, branches, tags, reflogs, hooks or settings.

        Raises:
            ImageError: If the repository cannot be had or has no such commit.
        """
        run_git("-c", "init.templateDir=", "init", "--quiet", "--bare", str(target))
        depth = [f"--depth={history}"] if history else []
        options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", *depth]
        fetch = (
            "-c",
            "protocol.version=2",
            "-C",
            str(target),
            "fetch",
            *options,
            f"file://{self._place(commit)}",
            commit,
        )
        try:
            run_git(*fetch, seconds=FETCH_SECONDS)
            run_git("-C", str(target), "update-ref", "refs/heads/main", f"{commit}^{{commit}}")
        except ImageError as error:
            raise ImageError(f"the repository {self.repo} has no commit {commit} that could be had: {error}") from error
        run_git("-C", str(target), "symbolic-ref", "HEAD", "refs/heads/main")

    def _place(self, commit: str) -> Path:
        """Return a repository on this machine that should have *commit*."""
        if self.folder is None:
            return self._clone(commit)
        found = next((place for place in self._places(self.folder) if place.is_dir()), None)
        if found is None:
            names = " or ".join(f"{name}[.git]" for name in (self.repo, self._flat))
            raise ImageError(f"{self.folder} has no mirror of {self.repo}: put it there as {names}")
        return found.resolve()

    def _places(self, folder: Path) -> Iterator[Path]:
        return (folder / f"{name}{ending}" for name in (self.repo, self._flat) for ending in ("", ".git"))

    @property
    def _flat(self) -> str:
        return self.repo.replace("/", "__")

    def _clone(self, commit: str) -> Path:
        """Return the clone in the cache: made if it is not there, and brought up to date if it lacks *commit*."""
        place = (paths.cache() / "repositories" / f"{self._flat}.git").absolute()
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place.with_suffix(".lock"), busy=lambda: None):
            if not place.is_dir():
                self._make_clone(place)
            for reference in ("+refs/heads/*:refs/heads/*", commit):
                if not _has(place, commit):
                    with suppress(ImageError):  # then it is the commit that is missed, which is said by who asked
                        run_git("-C", str(place), "fetch", "--quiet", "origin", reference, seconds=CLONE_SECONDS)
        return place

    def _make_clone(self, place: Path) -> None:
        """Whole or not at all: beside it first."""
        draft = place.with_suffix(f".{os.getpid()}")
        try:
            url = f"{self.host.rstrip('/')}/{self.repo}"
            run_git("clone", "--quiet", "--bare", "--", url, str(draft), seconds=CLONE_SECONDS)
        except ImageError as error:
            raise ImageError(
                clauses(f"{self.repo} could not be cloned: {error}", f"try again later, or {WAY_OUT}")
            ) from error
        draft.rename(place)


def missing_parts(place: Path, commit: str) -> Iterator[str]:
    """Find out which files of *commit* are not in the repository at *place*: a sentence of submodules, one of LFS."""
    tree = run_git("-C", str(place), "ls-tree", "-r", "-z", commit).split("\0")
    if parts := [line.partition("\t")[2] for line in tree if line.startswith("160000 ")]:
        yield f"submodules are empty folders here: {_join_paths(parts)}"
    pointers = ""
    with suppress(ImageError):  # that is how it says that there are none
        pattern = f"^{LFS_POINTER}$"
        pointers = run_git(
            "-C", str(place), "grep", "-z", "--name-only", "-I", "-e", pattern, commit, seconds=FETCH_SECONDS
        )
    if files := [each.partition(":")[2] for each in pointers.split("\0") if each]:
        yield f"files of Git LFS are pointers here, not what they stand for: {_join_paths(files)}"


def _join_paths(found: Sequence[str]) -> str:
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return ", ".join(path if path.isprintable() else ascii(path) for path in found[:MOST_NAMED]) + more


def run_git(*arguments: str, seconds: float = 60) -> str:
    """Run git on this machine, never asking anybody for anything, and return what it prints.

    Raises:
        ImageError: If git is not installed, or fails.
    """
    env = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        env.pop(name, None)
    try:
        done = subprocess.run(
            ["git", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=env,
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError as error:
        raise ImageError(f"git is not installed here: {install_command('git')}") from error
    except subprocess.TimeoutExpired as error:
        raise ImageError(f"git did not end within {seconds:g} s") from error
    if done.returncode:
        raise ImageError(done.stderr.strip().rpartition("\n")[2] or f"git ended with status {done.returncode}")
    return done.stdout


def _has(place: Path, commit: str) -> bool:
    try:
        run_git("-C", str(place), "cat-file", "-e", f"{commit}^{{commit}}")
    except ImageError:
        return False
    return True
