"""The recordings published with the benchmark: three harnesses, three shapes of JSON file, one set of values.

Shapes and habits are those of the files under `data/results` of princeton-nlp/intercode at c3e46d8.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, cast, get_args

from intercode.errors import BadDataError, UserError

Harness = Literal["try again", "react", "plan & solve"]

Kind = Literal["run", "submit", "skip", "nothing"]
"""What reached the environment at a turn: code, a word of its own, or nothing since no code was found."""

CUT = 350
"""Characters of an observation that ReAct kept."""

NO_CODE = ("code was found in your last response", "action did not contain")
"""Parts of what the harnesses answered where they found no code."""

REACT_NO_CODE = "Error executing query: Your last `execute` action did not contain bash code"
"""What ReAct said to an action without code, in the Bash world."""

REACT_NO_SQL = REACT_NO_CODE.replace("bash", "sql")
"""The same in the SQL world."""

REACT_ROWS = 25
"""Rows of a result that ReAct kept."""

BLOCKED = "blocked"
"""Logged as the action when the model failed: there is a reward of 0 for it, and no observation."""

MARKED = "cmd "
"""Stands before commands in the first recordings of capture the flag."""

World = Literal["bash", "sql", "python", "ctf"]

DATASETS = {
    "bash": re.compile(r"nl2bash_fs_(\d+)"),
    "sql": re.compile(r"(spider|wikisql|bird)"),
    "python": re.compile(r"(mbpp)"),
    "ctf": re.compile(r"data/(ctf)/"),
}


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One logged action: `raw` as in the file, `code` as the environment got it.

    `judged`: `reward` was computed at this turn; elsewhere the harness logged a 0 without asking.
    """

    raw: str
    kind: Kind
    code: str = ""
    observation: str = ""
    reward: float = 0.0
    judged: bool = False


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


def read(path: Path) -> Recording:
    """The recording in *path*, plain or gzipped.

    Raises:
        BadDataError: If it is none. Names file and episode.
        UserError: For worlds that cannot be replayed.
    """
    found = _load(path)
    logs = found.get("logs", found)
    if not isinstance(logs, dict) or not logs:
        raise BadDataError(f"{path} is not a recording: it holds no episodes")
    try:
        first = next(iter(logs.values()))
        harness, world = _harness(first), _world(first)
        return Recording(path, harness, tuple(_episode(harness, world, log) for log in logs.values()), world)
    except UserError as error:
        raise type(error)(f"{path}: {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise BadDataError(f"{path} is not a recording: {type(error).__name__}: {error}") from error


def _load(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
        found = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (OSError, EOFError, ValueError, RecursionError, zlib.error) as error:
        raise BadDataError(f"cannot read {path}: {error}") from error
    if not isinstance(found, dict):
        raise BadDataError(f"{path} is not a recording: it holds no JSON object")
    return found


def _harness(log: Mapping[str, Any]) -> Harness:
    history = log["turn_history"]
    if "thoughts" in history:
        return "react"
    return "plan & solve" if "steps" in history else "try again"


def _world(log: Mapping[str, Any]) -> World:
    name = str(log["environment"]).removeprefix("ic_")
    for world in get_args(World):
        if name == world:
            return cast(World, world)
    raise UserError(f"a recording of the {name} world; only those of {', '.join(get_args(World))} can be replayed")


def _episode(harness: Harness, world: World, log: Mapping[str, Any]) -> RecordedEpisode:
    match = DATASETS[world].search(str(log["dataset"]))
    if match is None:
        raise BadDataError(f"task {log['task_id']} is of an unknown data set, {log['dataset']}")
    dataset = f"nl2bash/fs{match[1]}" if world == "bash" else match[1]
    turns = _turns(harness, world, log["turn_history"])
    rewards = [turn.reward for turn in turns] or [0.0]
    best = rewards[-1] if harness == "react" else max(rewards)
    return RecordedEpisode(dataset, int(log["task_id"]), str(log["query"]), turns, best == 1)


def _turns(harness: Harness, world: World, history: Mapping[str, Sequence[Any]]) -> tuple[RecordedTurn, ...]:
    actions, observations, rewards = history["actions"], history["observations"], history["rewards"]
    if not actions and list(rewards) == [0]:  # Plan & Solve without a plan
        return ()
    blocked = actions[-1:] == [BLOCKED] and len(observations) == len(actions) - 1
    if len(rewards) != len(actions) or (len(observations) != len(actions) and not blocked):
        raise BadDataError(
            f"{len(actions)} actions, {len(observations)} observations, {len(rewards)} rewards in an episode"
        )
    if world == "python":
        return tuple(map(_python_turn, actions, observations, rewards))
    if world == "ctf":
        return tuple(_ctf_turn(*turn) for turn in zip_longest(actions, observations, rewards))
    parse = _react_turn if harness == "react" else _judged_turn
    turns = tuple(parse(*turn) for turn in zip_longest(actions, observations, rewards))
    if harness == "plan & solve" and world == "sql":  # it stepped `submit` even where there was no code
        return tuple(replace(turn, judged=True) for turn in turns)
    return turns


def _judged_turn(action: str, observation: str | None, reward: float) -> RecordedTurn:
    """Try again, plan & solve: each action is run, then `submit` is stepped."""
    if observation is None or any(part in observation for part in NO_CODE):
        return RecordedTurn(action, "nothing", observation=observation or "", reward=reward)
    return RecordedTurn(action, _kind(action), action, observation, reward, judged=True)


def _python_turn(action: str, observation: str, reward: float) -> RecordedTurn:
    """Everything is run; then the function that an action begins with is submitted, if it begins with one."""
    return RecordedTurn(action, "run", action, observation, reward, judged=action.startswith("def"))


def _ctf_turn(action: str, observation: str | None, reward: float) -> RecordedTurn:
    """Only flags are judged, and only by `submit`; in the first recordings commands are marked by `cmd`."""
    turn = _judged_turn(action, observation, reward)
    return replace(turn, code=turn.code.removeprefix(MARKED), judged=turn.kind == "submit")


def _react_turn(action: str, observation: str, reward: float) -> RecordedTurn:
    """ReAct: what stands between `execute[` and the last `]` is run; only `submit` is judged."""
    match = re.search(r"execute\[(.*)\]", action, re.DOTALL)
    code = match[1] if match else action
    if match is None and action != "submit":
        return RecordedTurn(action, "nothing", observation=observation, reward=reward)
    return RecordedTurn(action, _kind(code), code, observation, reward, judged=code.startswith("submit"))


def _kind(code: str) -> Kind:
    """As the published environment reads it: whatever begins with `submit` is one."""
    if code.startswith("submit"):
        return "submit"
    return "skip" if code == "skip" else "run"
