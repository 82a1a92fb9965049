"""Tasks and rewards as authors write them, one TOML file each. Those in `faulty_tasks/` have one mistake each.

A bundle's keys:

    world, fault          of a faulty one, what its author got wrong; a sound one has `why` instead
    cheat                 actions that are paid without the work. `{shown}` is what the action before showed
    [files]               the files of the task's folder
    dataset, tasks        where a `reward.py` is for tasks that exist
    [before], [after]     files of a repository as the agent finds it, and as the fix leaves it; with them `issue`,
                          `fail_to_pass`, `pass_to_pass`. What is below `tests/` in `after` is hidden
"""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intercode.runs.settings import Settings

HERE = Path(__file__).parent
SWE_IMAGE = "host"


@dataclass(frozen=True)
class TaskBundle:
    """One bundle, read from its file."""

    name: str
    about: dict[str, Any]

    @property
    def world(self) -> str:
        """The world that it is played in."""
        world: str = self.about["world"]
        return world

    @property
    def cheat(self) -> list[str]:
        """Actions that are paid without the work."""
        cheat: list[str] = self.about["cheat"]
        return cheat

    def write(self, folder: Path) -> Settings:
        """Write its files into *folder*, and say how it is played."""
        folder.mkdir(parents=True)
        write_files(folder, self.about.get("files", {}))
        if "before" in self.about:
            return self._write_repository(folder)
        if "dataset" in self.about:
            reward, tasks = str(folder / "reward.py"), tuple(self.about["tasks"].split(","))
            return Settings(dataset=self.about["dataset"], tasks=tasks, reward=reward)
        return Settings(dataset=str(folder), database="sqlite" if self.world == "sql" else "")

    def _write_repository(self, folder: Path) -> Settings:
        repository = folder / "mirrors" / "demo" / self.name
        repository.mkdir(parents=True)
        git(repository, "init", "-q", "-b", "main")
        base = commit(repository, "Begin", self.about["before"])
        fixed = commit(repository, "Mend", self.about["after"])
        record = {
            "instance_id": f"demo__{self.name}",
            "repo": f"demo/{self.name}",
            "base_commit": base,
            "version": "1",
            "problem_statement": self.about["issue"],
            "patch": git(repository, "diff", base, fixed, "--", ".", ":!tests"),
            "test_patch": git(repository, "diff", base, fixed, "--", "tests"),
            "FAIL_TO_PASS": self.about["fail_to_pass"],
            "PASS_TO_PASS": self.about["pass_to_pass"],
        }
        (folder / "tasks.jsonl").write_text(json.dumps(record) + "\n")
        (folder / "environments.toml").write_text(f'["demo/{self.name}"]\nrunner = "unittest"\n')
        options = {"file": "tasks.jsonl", "repositories": "mirrors", "environments": "environments.toml"}
        reward = folder / "reward.py"
        return Settings(
            dataset="swebench",
            dataset_options={name: str(folder / value) for name, value in options.items()},
            image=SWE_IMAGE,
            scoring="exact",
            reward=str(reward) if reward.exists() else "",
        )


def read_bundles(kind: str) -> list[TaskBundle]:
    """All in the folder *kind*, by name."""
    return [TaskBundle(path.stem, tomllib.loads(path.read_text())) for path in sorted((HERE / kind).glob("*.toml"))]


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write *files*, by their paths in *folder*."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def commit(folder: Path, message: str, files: dict[str, str]) -> str:
    """Write *files*, commit all, and return the commit."""
    write_files(folder, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()


def git(folder: Path, *arguments: str) -> str:
    """Run git in *folder* as somebody, at some time."""
    who = {f"GIT_{role}_{what}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=True).stdout
