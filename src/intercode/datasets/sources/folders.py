"""Fetching a folder of a repository at one commit: git checks every byte against the commit's own id."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from intercode.datasets.sources.published import PublishedFolder
from intercode.errors import DownloadError
from intercode_sandbox.util.system_packages import install_command
from intercode_sandbox.util.text import clauses

MARK = ".commit"
"""A file in a fetched folder: the commit that it is of."""

CONFIGURATION = {
    "core.autocrlf": "false",
    "core.hooksPath": "/dev/null",
    "core.symlinks": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
}
"""Whatever the user's own says: bytes as they are, nothing run, and an end to waiting (a kB a second for a minute)."""

OTHERS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
"""Environment variables that would lead git to a repository of the user's own."""


def is_fetched(folder: Path, commit: str) -> bool:
    """Return whether *folder* is there whole, as of *commit*."""
    mark = folder / MARK
    return mark.is_file() and mark.read_text(encoding="utf-8").strip() == commit


def fetch_folder(url: str, commit: str, folder: PublishedFolder, target: Path) -> None:
    """Put *folder* of the repository at *url* to *target*, whole or not at all; nothing else of it is fetched.

    Raises:
        DownloadError: If it cannot be fetched. Names the address.
    """
    if shutil.which("git") is None:
        raise DownloadError(f"fetching {folder.name} needs git: {install_command('git')}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{folder.name}-", dir=target.parent) as name:
            scratch = Path(name)
            _check_out(url, commit, folder, scratch, target)
            found = scratch / folder.path
            (found / MARK).write_text(f"{commit}\n", encoding="utf-8")
            if target.exists():
                target.rename(scratch / "old")
            found.rename(target)
    except OSError as error:
        raise DownloadError(f"{target}: {error.strerror}; INTERCODE_DATA names another folder for data") from error


def _check_out(url: str, commit: str, folder: PublishedFolder, scratch: Path, target: Path) -> None:
    left_out = [f":(exclude,glob){folder.path}/**/{name}/**" for name in folder.without]
    for command in (
        ["init", "--quiet"],
        ["remote", "add", "origin", url],
        ["config", "remote.origin.promisor", "true"],
        ["config", "remote.origin.partialclonefilter", "blob:none"],
        ["fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", commit],
        ["checkout", "--quiet", commit, "--", folder.path, *left_out],
    ):
        done = _git(scratch, command)
        if done.returncode:
            said = done.stderr.strip().rpartition("\n")[2]
            way_out = f"try again later, or put the folder {folder.path} of commit {commit} at {target} yourself"
            raise DownloadError(clauses(f"{url}: git says: {said}", way_out))


def _git(place: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    settings = [word for name, value in CONFIGURATION.items() for word in ("-c", f"{name}={value}")]
    env = {name: value for name, value in os.environ.items() if name not in OTHERS}
    argv = ["git", *settings, *command]
    said = {**env, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    return subprocess.run(argv, cwd=place, env=said, capture_output=True, text=True, check=False)
