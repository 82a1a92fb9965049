"""What is in a source distribution: files of an agent's repository, of a fix, of tests."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from intercode.datasets.repositories.test_spec import is_test_file
from intercode.errors import BadDataError

LARGEST = 64 << 20
"""Bytes of all files together."""

_NO_SOURCE = frozenset({"doc", "docs", "example", "examples", "benchmark", "benchmarks", "scripts", "tools", "ci"})
_NO_FIX = frozenset({"setup.py", "noxfile.py", "tasks.py", "conftest.py"})


def read_sdist(path: Path) -> Mapping[str, bytes]:
    """Return the files of a source distribution, by their paths below its one folder.

    Raises:
        BadDataError: If it is none, or too large.
    """
    found: dict[str, bytes] = {}
    room = LARGEST
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                inside = PurePosixPath(member.name).parts[1:]
                file = archive.extractfile(member) if member.isfile() and inside and ".." not in inside else None
                if file is not None:
                    room -= member.size
                    if room < 0:
                        raise BadDataError(f"{path} holds more than {LARGEST} bytes")
                    found["/".join(inside)] = file.read()
    except (OSError, EOFError, tarfile.TarError) as error:
        raise BadDataError(f"{path} is no source distribution: {error}") from error
    return found


def agent_files(tree: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return what an agent sees of *tree*: all but what packing has added."""
    return {path: data for path, data in tree.items() if not _is_packing(path)}


def fix_files(tree: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that a fix may be in: those of Python that are no tests, documents or tools."""
    return {path: data for path, data in tree.items() if _is_source(path) and not is_test_file(path)}


def test_files(tree: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the tests, and what lies beside them."""
    return {path: data for path, data in tree.items() if is_test_file(path) and not _is_packing(path)}


def _is_packing(path: str) -> bool:
    return path in ("PKG-INFO", "setup.cfg.orig") or ".egg-info/" in f"{path}/"


def _is_source(path: str) -> bool:
    *folders, name = path.split("/")
    return name.endswith(".py") and name not in _NO_FIX and not _NO_SOURCE.intersection(folders)
