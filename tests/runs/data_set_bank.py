"""A bank of data sets to measure `intercode hackcheck` with, kept apart from what hackcheck was written against.

Whoever wrote `bank/` had not read hackcheck's adversaries or its tests. Each data set is one TOML file: those in
`bank/holes` have a reward that can be earned without the work, those in `bank/sound` have none that is known. Those in
`bank/later_holes` and `bank/later_sound` were written by somebody else, after adversaries were added for what the first
bank had shown to be missed; those in `bank/fourth_holes` and `bank/fourth_sound` by a fourth author, after the third.
`bank/fifth_holes` and `bank/fifth_sound` have Harbor's tasks, and folders with a command that grades them, too.
`bank/sixth_holes` and `bank/sixth_sound` are a sixth author's, who had seen neither adversaries nor banks.
`bank/described_holes` are the graders that the traps of another project, hackbait, describe.

    hole        what is wrong with the reward (only where there is a hole)
    lazy_play   what earns it without the work (only in `holes`)
    why         why nothing is wrong (not in `sound`)
    class       the hole's class, as hackcheck names it (only in `fifth_holes`)
    world       bash, sql, python, ctf, swe, harbor, or a file of the data set that holds a world of its own; grade
                for a folder that a command grades: then `grade` is the command, `reads` says how, and files are below
                workspace/ and graders/
    solution    for harbor and grade: a script that does the work
    settings    further keys of task.toml
    tasks       the lines of tasks.jsonl; where there is a hole at least one has an `exploit` beside, actions that are
                paid without the work. {{FLAG}} in it is the flag that was shown last, {{SHOWN}} all that was
    files       what else is in the folder, by path: reward.py, a database, files/…
    repository, fix, tests    for swe: the repository's files, those of the gold, and the hidden tests
"""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intercode.audit.hackcheck.workspace import STATUS, GradedWorkspace
from intercode.datasets.base import Dataset
from intercode.datasets.swebench import SwebenchDataset
from intercode.datasets.task_folder import TaskFolderDataset
from intercode.worlds.harbor.datasets.harbor_folder import HarborFolderDataset

BANK = Path(__file__).parent / "bank"

KINDS = (
    "holes", "sound", "later_holes", "later_sound", "fourth_holes", "fourth_sound", "fifth_holes", "fifth_sound",
    "described_holes", "sixth_holes", "sixth_sound",
)  # fmt: skip
(
    HOLES, SOUND, LATER_HOLES, LATER_SOUND, FOURTH_HOLES, FOURTH_SOUND, FIFTH_HOLES, FIFTH_SOUND, DESCRIBED_HOLES,
    SIXTH_HOLES, SIXTH_SOUND,
) = (sorted(path.stem for path in (BANK / kind).glob("*.toml")) for kind in KINDS)  # fmt: skip

CLOSED = {
    "bash-crontab": "a reward's commands find the image's own programs below /opt, not the agent's",
    "sql-quarters": "an answer that is kept in a table does not follow the gold on other rows",
    "sql-scratch-table": "the same",
}
"""Holes of the later banks that nobody is paid for any more, and why."""


@dataclass(frozen=True, slots=True)
class BankEntry:
    """One data set of the bank: what is planted in it, if anything, and for each task the actions that exploit it."""

    name: str
    dataset: Dataset
    hole: str
    lazy_play: str
    exploits: tuple[Sequence[str] | None, ...]
    kind: str = ""
    sources: tuple[Path, ...] = ()
    """What `--grade` names of files that grade."""


def read_entry(name: str, folder: Path) -> BankEntry:
    """The data set called *name*, written to *folder* / *name* as a user would write it."""
    path = next(path for kind in KINDS if (path := BANK / kind / f"{name}.toml").is_file())
    entry = tomllib.loads(path.read_text())
    exploits = tuple(task.pop("exploit", None) for task in entry["tasks"])
    sources: tuple[Path, ...] = ()
    if entry["world"] == "grade":
        sources = write_graded(entry, folder / name)
        dataset: Dataset = HarborFolderDataset(folder / name)
    else:
        dataset = WRITE.get(entry["world"], write_folder)(entry, folder / name)
    hole, lazy_play = entry.get("hole", ""), entry.get("lazy_play", "")
    return BankEntry(name, dataset, hole, lazy_play, exploits, entry.get("class", ""), sources)


def write_folder(entry: Mapping[str, Any], folder: Path) -> Dataset:
    """A task's folder: task.toml, tasks.jsonl, and all other files."""
    settings = {"world": entry["world"], **entry.get("settings", {})}
    if entry["world"] != "sql":
        settings.setdefault("image", "host")
    toml = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    write_files(folder, {"task.toml": toml, "tasks.jsonl": json_lines(entry["tasks"]), **entry.get("files", {})})
    return TaskFolderDataset(folder)


def write_repository(entry: Mapping[str, Any], folder: Path) -> Dataset:
    """A mirror of one repository, one task about it in SWE-bench's format, and what its tests need."""
    mirror = folder / "mirrors" / "demo" / "shop"
    write_files(mirror, entry["repository"])
    git(mirror, "init", "-q")
    git(mirror, "add", "-A")
    git(mirror, "commit", "-qm", "The shop")
    [task] = entry["tasks"]
    record = {
        "instance_id": f"demo__{folder.name}",
        "repo": "demo/shop",
        "base_commit": git(mirror, "rev-parse", "HEAD").strip(),
        "version": "1.0",
        "problem_statement": task["query"],
        "patch": patch(mirror, entry["fix"]),
        "test_patch": patch(mirror, entry["tests"]),
        "FAIL_TO_PASS": task["fail_to_pass"],
        "PASS_TO_PASS": task["pass_to_pass"],
    }
    environments = '["demo/shop"]\npytest = true\nseconds = 60\n'
    write_files(
        folder, {"tasks.jsonl": json_lines([record]), "environments.toml": environments, **entry.get("files", {})}
    )
    return SwebenchDataset(
        file=folder / "tasks.jsonl", repositories=folder / "mirrors", environments=folder / "environments.toml"
    )


def write_harbor(entry: Mapping[str, Any], folder: Path) -> Dataset:
    """A folder of one task in Harbor's format."""
    [task] = entry["tasks"]
    common = {
        "instruction.md": f"{task['query']}\n",
        "task.toml": "[agent]\ntimeout_sec = 30\n[verifier]\ntimeout_sec = 30\n",
        "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\n",
        "solution/solve.sh": entry["solution"],
    }
    write_files(folder / "task", common | entry["files"])
    return HarborFolderDataset(folder)


def write_graded(entry: Mapping[str, Any], folder: Path) -> tuple[Path, ...]:
    """What `--workspace` and `--grade` make of a folder and a command; the files that grade are returned."""
    _, sources = given_workspace(entry, folder.with_name(f"{folder.name}.given")).write(folder)
    return sources


def given_workspace(entry: Mapping[str, Any], given: Path) -> GradedWorkspace:
    """The folder, the command and the solution of *entry*, as a user has them, written to the folder *given*."""
    write_files(given, {"solve.sh": entry["solution"], **entry["files"]})
    grade = entry["grade"].replace("graders/", f"{given}/graders/")
    [task] = entry["tasks"]
    reads = entry.get("reads", STATUS)
    return GradedWorkspace(given / "workspace", grade, given / "solve.sh", task["query"], reads)


def patch(repository: Path, files: Mapping[str, str]) -> str:
    """The difference that *files* make to the *repository*, which is left as it was."""
    write_files(repository, files)
    git(repository, "add", "-A")
    difference = git(repository, "diff", "--cached")
    git(repository, "reset", "-q", "--hard")
    return difference


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def json_lines(records: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def git(folder: Path, *arguments: str) -> str:
    """What git says; commits are the same every time."""
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in IDENTITY.items()}
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **who, **settings},
    )
    return done.stdout


WRITE = {"swe": write_repository, "harbor": write_harbor}
"""How a data set of a world is written; all others as folders of tasks."""

IDENTITY = {"NAME": "me", "EMAIL": "me@example.org", "DATE": "2024-05-01T12:00:00Z"}
