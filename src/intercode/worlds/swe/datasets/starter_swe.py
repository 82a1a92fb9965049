"""Our own software engineering tasks: small repositories with a bug each; nothing to download."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from intercode.datasets.base import ListedDataset
from intercode.datasets.repositories import TestSuite, gold_command
from intercode.datasets.repositories.layers import PYTEST, Commit, history_layer, pytest_layers, tree_layer
from intercode.types import Task
from intercode_sandbox.images import Image

FOLDER = Path(__file__).parents[1] / "starter"
"""A folder for each task: `task.toml`, the files of the repository, the gold `fix.patch`, the hidden `tests.patch`."""


class StarterSweDataset(ListedDataset):
    """The tasks of `starter`, ids `starter-swe/NAME`.

    Each stands on a repository of its own, in `/testbed`, that is made into git when an image is built, the same on
    every machine. Every gold is known to score 1, and doing nothing, or only changing tests, to score 0. The image has
    to have git and Python; 3.11 or later where tests need pytest, which is brought along.
    """

    name = "starter-swe"
    world = "swe"

    def __init__(self) -> None:
        self._abouts = {path.parent.name: _read(path) for path in sorted(FOLDER.glob("*/task.toml"))}
        self._tasks = tuple(_task(name, about) for name, about in self._abouts.items())
        self._images: dict[tuple[str, str], Image] = {}

    def image(self, task: Task, base: Image) -> Image:
        """Return *base* with the task's repository on top, and with pytest where its tests need that."""
        key = (task.id, base.digest)
        if key not in self._images:
            self._images[key] = self._make_image(task.id.rpartition("/")[2], base)
        return self._images[key]

    def _make_image(self, name: str, base: Image) -> Image:
        about = self._abouts[name]
        needs_pytest = about["runner"] == "pytest"
        commits = [Commit(commit["message"], tuple(commit["paths"])) for commit in about["commits"]]
        return base.with_layers(
            *(pytest_layers() if needs_pytest else ()),
            tree_layer(_tree(FOLDER / name / "tree"), title=f"the files of {name}"),
            history_layer(commits),
            name=f"{base.name}+{name}",
            env={"PYTHONPATH": PYTEST} if needs_pytest else {},
        )


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _task(name: str, about: dict[str, Any]) -> Task:
    patches = {kind: (FOLDER / name / f"{kind}.patch").read_text(encoding="utf-8") for kind in ("fix", "tests")}
    extra = {
        "repo": f"starter/{name}",
        "patch": patches["fix"],
        "test_patch": patches["tests"],
        "FAIL_TO_PASS": tuple(about["fail_to_pass"]),
        "PASS_TO_PASS": tuple(about["pass_to_pass"]),
        "suite": TestSuite(about["runner"], path=tuple(about.get("path", ())), seconds=60),
    }
    gold = gold_command(patches["fix"])
    return Task(
        f"starter-swe/{name}", about["issue"].strip(), gold, "swe", about["category"], about["difficulty"], extra
    )


def _tree(folder: Path) -> dict[str, bytes]:
    """Return the files of a repository; what Python compiled in passing is none of them."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
