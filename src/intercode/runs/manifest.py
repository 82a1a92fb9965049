"""The first file of a run: what was asked, on what data, by which versions of what."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from intercode import __version__, datasets
from intercode.errors import BadDataError
from intercode.runs.settings import Settings
from intercode.types import SCORINGS, leading_reward, reward_name
from intercode.types.validation import check_depth, check_seconds
from intercode.util.decoding import ready
from intercode.util.regular_files import read_text
from intercode.worlds.sql.databases import without_password

FORMAT = 2
"""Counts up whenever an older program would misread a newer run."""

READ = (1, FORMAT)
"""Formats that are read. In format 1 a chosen reward's scores are stored as `exact`, in place of the world's own."""

NAME = "manifest.json"

REWARD = "reward "
"""What stands before the name of a reward among the `data` of a manifest."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that a run depends on. `tasks` are the ids to play, in order; `images` and `data` map names to digests.

    `data` also has the reward that judged instead of the world, if one did (`reward NAME`).
    In a world of databases the "image" is the database, with its version as the digest, and `data` has the databases'
    files too. `machine` holds versions: intercode, python, kernel, architecture, bubblewrap. `reproducible` is False
    where an image depends on the machine, `isolated` where code ran unguarded: results are labelled so. `begun_in` is
    where the run was begun, as seen from its directory ("": not known): paths in the settings begin there.
    `networks` says what agents and verifiers may reach, where that is anything: `none` in none of their tasks.
    `former_images` are digests that images had before it went on with others, by name: episodes are from all of them.
    `chosen_reward` is the name under which scores are stored that are not the world's own. `format` is its files'.
    """

    settings: Settings
    tasks: tuple[str, ...]
    images: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    reproducible: bool = True
    isolated: bool = True
    started_at: float = field(default_factory=time.time)
    begun_in: str = ""
    former_images: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    networks: Mapping[str, str] = field(default_factory=dict)
    chosen_reward: str = ""
    format: int = FORMAT

    @property
    def leading_reward(self) -> str:
        """Return the name of the reward that counts, and whose value the agents got."""
        return leading_reward(self.settings.scoring or "exact", self.chosen_reward)

    @property
    def is_reward_renamed(self) -> bool:
        """Return whether the scores of a reward that was chosen are stored as `exact`, as in format 1."""
        return self.format == 1 and self.settings.reward not in ("", *SCORINGS)

    @property
    def judged_by(self) -> str:
        """In words, that a reward of its own judged the run; "" where the world's did."""
        return f"{self.chosen_reward or 'exact'} is judged by the reward {self.reward}" if self.reward else ""

    @property
    def mixture(self) -> str:
        """In words, that its episodes were played on several images; "" where they were not."""
        numbers = [f"{name} ({len(former) + 1} versions)" for name, former in sorted(self.former_images.items())]
        return f"the image changed between its episodes: {', '.join(numbers)}" * bool(numbers)

    @property
    def reward(self) -> str:
        """The reward that judged beside the world's own, or in the place of `exact`: its name or file; "" for none."""
        return next((name.removeprefix(REWARD) for name in self.data if name.startswith(REWARD)), "")

    @property
    def episodes(self) -> int:
        """Return how many episodes the whole run has."""
        return len(self.tasks) * self.settings.repeat

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries and lists, the format's number first."""
        return {
            "format": self.format,
            "started_at": self.started_at,
            "command": list(self.command),
            "begun_in": self.begun_in,
            "settings": self.settings.to_json(),
            "machine": dict(self.machine),
            "images": dict(self.images),
            "former_images": {name: list(digests) for name, digests in self.former_images.items()},
            "data": dict(self.data),
            "networks": dict(self.networks),
            "chosen_reward": self.chosen_reward,
            "reproducible": self.reproducible,
            "isolated": self.isolated,
            "tasks": list(self.tasks),
        }


def from_json(data: Mapping[str, Any], path: Path) -> Manifest:
    """Return the reverse of `Manifest.to_json`.

    Raises:
        BadDataError: If it is malformed, or in another version's format. Names *path*.
    """
    if data.get("format") not in READ or isinstance(data["format"], bool):
        raise BadDataError(_other_format(data, path))
    try:
        check_depth("it", data)
        fields = {
            "begun_in": "",
            "former_images": {},
            "networks": {},
            "chosen_reward": "",
            **data,
        }  # runs of before do not say it
        fields = {name: fields[name] for name in Manifest.__slots__}
        settings = Settings.from_json(_object(data["settings"]))
        manifest = msgspec.convert({**fields, "settings": settings.to_json()}, ready(Manifest))
        check_seconds("started_at", manifest.started_at)
        if manifest.chosen_reward != reward_name(manifest.chosen_reward):
            raise BadDataError(f"{manifest.chosen_reward!r} is not the name of a reward")
    except KeyError as error:
        raise BadDataError(f"{path} is not a run's manifest: {error} is missing") from error
    except (msgspec.ValidationError, UnicodeEncodeError, BadDataError) as error:
        raise BadDataError(f"{path} is not a run's manifest: {error}") from error
    return manifest


def read(folder: Path) -> Manifest:
    """Return the manifest of the run in *folder*.

    Raises:
        BadDataError: If there is none, or one that cannot be read.
    """
    path = folder / NAME
    try:
        found = json.loads(read_text(path, within=folder))
    except FileNotFoundError as error:
        raise BadDataError(f"{folder} is not a run: it has no {NAME}") from error
    except OSError as error:
        raise BadDataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadDataError(f"cannot read {path}: {error}") from error
    if not isinstance(found, dict):
        raise BadDataError(f"{path} is not a run's manifest: it holds no JSON object")
    return from_json(found, path)


def with_images(then: Manifest, now: Manifest) -> Manifest:
    """Return *then* as it goes on with the images of *now*; those it had are kept as former ones."""
    former = dict(then.former_images)
    for name in changed_images(then, now):
        former[name] = tuple(dict.fromkeys((*former.get(name, ()), then.images[name])))
    return replace(then, images=now.images, former_images=former, reproducible=then.reproducible and now.reproducible)


def changed_images(then: Manifest, now: Manifest) -> list[str]:
    """Return the names of *then*'s images that are others *now*, or not there."""
    return [name for name, digest in then.images.items() if now.images.get(name) != digest]


def settings_here(manifest: Manifest, folder: Path) -> Settings:
    """Return the settings of the run in *folder*, its data set and reward found from where this process is.

    Raises:
        BadDataError: For one that is neither where it was nor here.
    """
    settings = _with_reward_here(manifest, folder)
    dataset = settings.dataset
    if not datasets.is_path(dataset):
        return settings
    there = os.path.normpath(folder / manifest.begun_in / dataset) if manifest.begun_in else dataset
    if os.path.exists(there) and not same(there, dataset):
        return settings.changed(dataset=there)
    if not os.path.exists(dataset) and ("/" in dataset or Path(dataset).suffix):
        missing = f"{there} is not there" if manifest.begun_in else f"there is no {dataset} here"
        raise BadDataError(
            f"{folder} was played on {dataset}, and {missing}: go to the directory from which it was given"
        )
    return settings


def _with_reward_here(manifest: Manifest, folder: Path) -> Settings:
    """Return the settings, with the file of the reward where it was when the run was begun, unless it is also here."""
    reward = manifest.settings.reward
    there = os.path.normpath(folder / manifest.begun_in / reward)
    is_moved = reward.endswith(".py") and manifest.begun_in and not os.path.exists(reward) and os.path.exists(there)
    return manifest.settings.changed(reward=there) if is_moved else manifest.settings


def same(first: str, second: str) -> bool:
    """Return whether both are the path of one file or folder that is there."""
    return os.path.exists(first) and os.path.exists(second) and os.path.samefile(first, second)


def write(manifest: Manifest, folder: Path) -> None:
    """Put *manifest* into *folder*, whole or not at all.

    Raises:
        OSError: If it cannot be written.
    """
    draft = folder / f"{NAME}.new"
    draft.unlink(missing_ok=True)
    with draft.open("x", encoding="utf-8") as file:  # a link that somebody has put there is not followed
        json.dump(manifest.to_json(), file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / NAME)


def machine() -> dict[str, str]:
    """Return the versions of what this process stands on; empty text for what is not there."""
    return {
        "intercode": __version__,
        "python": platform.python_version(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "system": _system(),
        "bubblewrap": _bubblewrap(),
    }


def command() -> tuple[str, ...]:
    """Return the command line of this process, by the program's short name and without passwords."""
    return (Path(sys.argv[0]).name, *map(without_password, sys.argv[1:]))


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadDataError(f"its settings are no JSON object but a {type(value).__name__}")
    return value


def _other_format(data: Mapping[str, Any], path: Path) -> str:
    machine = data.get("machine")
    theirs = machine.get("intercode", "another version") if isinstance(machine, dict) else "another version"
    return (
        f"{path} has format {data.get('format')!r}, written by intercode {theirs}; this is intercode {__version__}, "
        f"which reads formats {READ[0]} to {READ[-1]}: use that version for it, or begin a new run with another --out"
    )


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return ""


def _bubblewrap() -> str:
    try:
        done = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip().removeprefix("bubblewrap ")
