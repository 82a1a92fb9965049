"""Runs as files, made without playing anything: one has every field filled, to be changed by hostile hands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.types import Action, Observation, Score, TaskView, Trajectory, Turn, trajectories
from intercode.types.conversation import Message, ModelCall, Reply, Tokens, Tool, ToolCall, Usage

Json = dict[str, Any]

SCORES = {
    "paper": Score(0.5, False, {"state": 0.5}, ("a note",)),
    "exact": Score(1.0, True, {"answer": 1.0}, ("another note",)),
}

CALL = ModelCall(
    0,
    (Message("system", "be good"), Message("user", "count")),
    Reply(
        "I count",
        (ToolCall("call_0", "run_command", '{"command": "ls"}'),),
        "reasoning",
        "stop",
        Usage(10, 2, 4, 0.25),
        "toy-1",
        0.5,
        1,
        Tokens(("a", "b"), (5, 6), (-0.5, -0.25), (1, 2, 3)),
        {"id": "reply-1", "choices": [{"index": 0}]},
    ),
    (Tool("run_command", "runs it", {"type": "object", "properties": {"command": {"type": "string"}}}),),
)


def episode(task: str = "toy/a", repeat: int = 0, error: str = "") -> Json:
    """An episode as JSON, of three turns."""
    turns = (
        Turn(Action("execute", "ls"), Observation("a\nb\n", 2), 0.5, SCORES, "s1", 0.1, "think", (CALL,)),
        Turn(Action("nothing", "no code"), Observation("no code"), 0.5, None, "s1", 0.2),
        Turn(Action("submit", "42"), Observation("done"), 1.0, SCORES, "s1", 0.3),
    )
    found = Trajectory(
        TaskView(task, "Count the files.", "bash", "files", "easy"),
        "toy",
        "error" if error else "submitted",
        turns,
        None if error else SCORES,
        7,
        repeat,
        "toy@sha256:0",
        1e9,
        2.0,
        error,
        {"play": 1.0},
        Usage(10, 2, 4, 0.25),
    )
    data: Json = json.loads(trajectories.dumps(found))
    return data


def episodes() -> list[Json]:
    """A success, its second try, and one that the machine broke."""
    return [episode(), episode(repeat=1), episode("toy/b", error="SandboxError: it broke")]


def manifest() -> Json:
    """The manifest of such a run."""
    settings = Settings(
        dataset="starter",
        dataset_options={"part": "all"},
        world="bash",
        agent="oracle",
        agent_options={"prompt": "p.md"},
        scoring="exact",
        repeat=2,
        image="toy",
        tasks=("toy/a", "toy/b"),
        model="toy-1",
        model_options={"temperature": "0"},
    )
    made = Manifest(
        settings, ("toy/a", "toy/b"), {"toy": "0"}, {"starter": "1"}, {"intercode": "0"}, ("intercode", "run"), True
    )
    data: Json = json.loads(json.dumps(made.to_json()))
    return data


def write(folder: Path, manifest: object, lines: Sequence[object]) -> Path:
    """The run in *folder*; texts are written as they are, all else as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(_text(manifest), encoding="utf-8")
    (folder / "episodes.jsonl").write_text("".join(_text(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
