"""Small recordings in the published shapes, made up here."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

DATASET = "./data/nl2bash/nl2bash_fs_{}.json"
Turns = Sequence[tuple[str, str, float]]


def log(number: int, turns: Turns, *, file_system: int = 1, **extra: list[str]) -> dict[str, Any]:
    """One episode; *extra* are further lists of its history, which tell the harness."""
    actions, observations, rewards = zip(*turns, strict=True)
    history = {"actions": [*actions], "observations": [*observations], "rewards": [*rewards], **extra}
    names = {"environment": "ic_bash", "dataset": DATASET.format(file_system), "task_id": number, "query": "Say it."}
    return {**names, "turn_history": history}


def try_again(number: int, turns: Turns, file_system: int = 1) -> dict[str, Any]:
    return log(number, turns, file_system=file_system)


def react(number: int, turns: Turns, file_system: int = 1) -> dict[str, Any]:
    return log(number, turns, file_system=file_system, thoughts=["hm"] * len(turns))


def plan_solve(number: int, turns: Turns, file_system: int = 1) -> dict[str, Any]:
    return log(number, turns, file_system=file_system, steps=["do it"] * len(turns))


def of_sql(episode: dict[str, Any], dataset: str = "spider") -> dict[str, Any]:
    """The same episode in the SQL world."""
    return episode | {"environment": "ic_sql", "dataset": f"./data/{dataset}/dev_{dataset}.json"}


def write(path: Path, *logs: dict[str, Any], meta: bool = False) -> Path:
    """A file of *logs*, gzipped if its name says so, with or without the `meta` that later files have."""
    numbered: dict[str, Any] = {str(number): each for number, each in enumerate(logs)}
    data = json.dumps({"meta": {"seed": None}, "logs": numbered} if meta else numbered).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
