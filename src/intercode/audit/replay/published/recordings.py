"""The recordings published with the benchmark: several harnesses, several shapes of JSON file, one set of values.

Shapes and habits are those of the files under `data/results` of princeton-nlp/intercode at c3e46d8, and of the log that
the published environment itself writes.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from intercode import datasets
from intercode.audit.replay.published.histories import History, read_history
from intercode.audit.replay.published.recorded_turns import Harness, RecordedTurn, World, harness_of, turns
from intercode.errors import BadDataError, UserError
from intercode.util.regular_files import LARGEST_DATA, read_bytes, unzip
from intercode_sandbox.util.text import pluralize

DATASETS = {
    "bash": re.compile(r"nl2bash_fs_(\d+)"),
    "sql": re.compile(r"(spider|wikisql|bird)"),
    "python": re.compile(r"(mbpp)"),
    "ctf": re.compile(r"data/(ctf)/"),
}

QUERIED: Mapping[World, str] = {"bash": "nl2bash", "sql": "spider", "python": "mbpp", "ctf": "ctf"}
"""Where the task of an episode is looked for which names no data set."""


@dataclass(frozen=True, slots=True)
class RecordedEpisode:
    """One task as it was played; `number` counts the tasks of `dataset` (`nl2bash/fs1` or `spider`) from 0."""

    dataset: str
    number: int
    query: str
    turns: tuple[RecordedTurn, ...]
    success: bool

    @property
    def file_system(self) -> int:
        """The file system that its data set is about; 0 where it is about none."""
        return int(self.dataset.partition("/fs")[2] or 0)

    @property
    def task(self) -> str:
        """The id of its task in our data set."""
        return f"{self.dataset}/{self.number}"

    @property
    def local_id(self) -> str:
        """The same without the data set's name, as in its verified set: `fs1/17`, `30`."""
        return self.task.partition("/")[2]


@dataclass(frozen=True, slots=True)
class Recording:
    """One file."""

    path: Path
    harness: Harness
    episodes: tuple[RecordedEpisode, ...]
    world: World = "bash"
    without_turns: int = 0

    @property
    def note(self) -> str:
        """Return what a reader should know of what is not replayed; "" for nothing."""
        left_out = self.without_turns
        return f"{pluralize(left_out, 'episode')} without a history of turns left out" if left_out else ""


def read(path: Path) -> Recording:
    """Return the recording in *path*, plain or gzipped.

    Raises:
        BadDataError: If it is none. Names file and episode.
        UserError: For worlds that cannot be replayed.
    """
    try:
        logs = _logs(_load(path))
        found = [(log, history) for log in logs if (history := read_history(log)) is not None]
        if not found:
            raise BadDataError("it holds no episodes with a history of turns (`turn_history` or `trajectory`)")
        harness, world = harness_of(found[0][1]), _world(found[0][0])
        episodes = tuple(_episode(harness, world, log, history) for log, history in found)
        return Recording(path, harness, episodes, world, len(logs) - len(found))
    except UserError as error:
        raise type(error)(f"{path}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadDataError(f"{path} is not a recording: {type(error).__name__}: {error}") from error


def _load(path: Path) -> Any:
    try:
        return json.loads(unzip(read_bytes(path, most=LARGEST_DATA), path))
    except OSError as error:
        raise BadDataError(f"cannot be read: {error.strerror or error}") from error
    except (EOFError, ValueError, RecursionError, zlib.error) as error:
        raise BadDataError(f"cannot be read: {error}") from error


def _logs(found: Any) -> Sequence[Mapping[str, Any]]:
    """Return the episodes of a file: by their numbers, the same under `logs`, in a list, or the only one."""
    held = found.get("logs", found) if isinstance(found, dict) else found
    if isinstance(held, dict):
        return [held] if "environment" in held else list(held.values())
    if not isinstance(held, list):
        raise BadDataError("not a recording: it holds neither a JSON object nor a list")
    return held


def _world(log: Mapping[str, Any]) -> World:
    name = str(log["environment"]).removeprefix("ic_")
    for world in get_args(World):
        if name == world:
            return cast(World, world)
    raise UserError(f"a recording of the {name} world; only those of {', '.join(get_args(World))} can be replayed")


def _episode(harness: Harness, world: World, log: Mapping[str, Any], history: History) -> RecordedEpisode:
    dataset, number = _task(world, log)
    found = turns(harness, world, history)
    rewards = [turn.reward for turn in found] or [0.0]
    best = rewards[-1] if harness in ("react", "by hand") else max(rewards)
    return RecordedEpisode(dataset, number, str(log["query"]), found, best == 1)


def _task(world: World, log: Mapping[str, Any]) -> tuple[str, int]:
    """Return the data set of an episode, and its task's number there.

    The published environment's own log names no data set: then the task is found by what it asks.
    """
    if log.get("dataset") is None:
        return _find_by_query(world, str(log["query"]), log.get("query_idx", log.get("task_id")))
    match = DATASETS[world].search(str(log["dataset"]))
    if match is None:
        raise BadDataError(f"task {log['task_id']} is of an unknown data set, {log['dataset']}")
    return f"nl2bash/fs{match[1]}" if world == "bash" else match[1], int(log["task_id"])


def _find_by_query(world: World, query: str, number: Any) -> tuple[str, int]:
    """Return the task that asks *query*; of several the one of that *number*."""
    name = QUERIED[world]
    options = {"excluded": True} if world == "ctf" else {}
    places = [task.id.rpartition("/") for task in datasets.load(name, **options) if task.query == query]
    if not places:
        raise BadDataError(f"an episode names no data set, and no task of {name} asks {query[:80]!r}")
    dataset, _, found = next((each for each in places if each[2] == str(number)), places[0])
    return dataset, int(found)
