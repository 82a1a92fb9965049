"""ATIF, Harbor's Agent Trajectory Interchange Format, as episodes: any program's, and our own export's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from intercode.errors import BadDataError
from intercode.types import Action, Observation, TaskView, Trajectory, Turn, trajectories
from intercode.types.conversation import ModelCall, Reply, Usage
from intercode.util.regular_files import LONGEST_LINE, open_regular, read_text

Json = Mapping[str, Any]

HEAD = 4096
"""Bytes of a file in which the version of the format stands."""

CODE = ("code", "command", "cmd", "input", "keystrokes", "script")
"""What tools call the argument that is the action."""


def is_document(path: Path) -> bool:
    """Return whether *path* looks like one."""
    try:
        if path.suffix != ".json":
            return False
        with open_regular(path) as file:
            return b'"schema_version"' in (head := file.read(HEAD)) and b"ATIF" in head
    except OSError:
        return False


def read(path: Path) -> Iterator[Trajectory]:
    """Yield the episodes in *path*, a document or a folder of them.

    Raises:
        BadDataError: If it is none. Names the file.
    """
    for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
        try:
            found = json.loads(read_text(file, within=path if path.is_dir() else None, most=LONGEST_LINE))
            yield trajectory(found, file)
        except OSError as error:
            raise BadDataError(f"cannot read {file}: {error.strerror}") from error
        except (ValueError, RecursionError, TypeError, AttributeError, KeyError) as error:
            raise BadDataError(f"{file} is not an ATIF trajectory: {error}") from error


def trajectory(document: Json, file: Path) -> Trajectory:
    """Return one document as an episode; *file* gives the name of its task where it has none."""
    extra = document.get("extra") or {}
    steps = list(document.get("steps") or ())
    questions = [step for step in steps if step.get("source") == "user"]
    began = min((_seconds(step) for step in steps if step.get("timestamp")), default=0.0)
    agent = document.get("agent") or {}
    turns = [_turn(step, began, str(agent.get("model_name") or "")) for step in steps if step.get("source") == "agent"]
    data = {
        "task": _plain(_task(document, questions, file)),
        "agent": str(agent.get("name") or ""),
        "status": extra.get("status") or "submitted",
        "scores": extra.get("scores"),
        "seed": extra.get("seed"),
        "image": extra.get("image") or "",
        "error": str(document.get("notes") or "") if extra.get("status") in ("error", "refused") else "",
    }
    ended = max((_seconds(step) for step in steps if step.get("timestamp")), default=began)
    empty = trajectories.from_json({**data, "turns": []})
    usage = sum((turn.usage for turn in turns), Usage())
    return replace(empty, turns=tuple(turns), started_at=began, seconds=ended - began, usage=usage)


def _task(document: Json, questions: list[Json], file: Path) -> TaskView:
    extra = document.get("extra") or {}
    name = str(extra.get("task") or file.stem)
    query = "\n\n".join(_text(step.get("message")) for step in questions)
    labels = [str(extra.get(name) or "") for name in ("category", "difficulty")]
    return TaskView(name, query, str(extra.get("world") or "bash"), *labels)


def _turn(step: Json, began: float, model: str) -> Turn:
    calls = list(step.get("tool_calls") or ())
    results = list((step.get("observation") or {}).get("results") or ())
    seen = "\n".join(_text(each.get("content")) for each in results)
    happened = (results[0].get("extra") or {}) if results else {}
    extra = step.get("extra") or {}
    thought = str(step.get("reasoning_content") or "") or ("" if not calls else _text(step.get("message")))
    return Turn(
        _action(calls, _text(step.get("message"))),
        Observation(seen, happened.get("exit_code"), bool(happened.get("timed_out"))),
        float(extra.get("reward") or 0.0),
        None,
        str(extra.get("state_hash") or ""),
        max(0.0, _seconds(step) - began) if step.get("timestamp") else 0.0,
        thought,
        _calls(step, model),
    )


def _action(calls: list[Json], message: str) -> Action:
    if not calls:
        return Action("nothing", message)
    texts = []
    for call in calls:
        given = call.get("arguments") or {}
        name = str(call.get("function_name") or "")
        if name in ("submit", "skip"):
            return Action("submit" if name == "submit" else "skip", str(given.get("answer") or ""))
        code = next((given[key] for key in CODE if isinstance(given.get(key), str)), None)
        texts.append(code if code is not None else f"{name}({json.dumps(given)})")
    return Action("execute", "\n".join(texts))


def _calls(step: Json, model: str) -> tuple[ModelCall, ...]:
    metrics = step.get("metrics")
    if not metrics:
        return ()
    usage = Usage(
        int(metrics.get("prompt_tokens") or 0),
        int(metrics.get("completion_tokens") or 0),
        int(metrics.get("cached_tokens") or 0),
        metrics.get("cost_usd"),
    )
    reasoning = str(step.get("reasoning_content") or "")
    said = _text(step.get("message"))
    return (
        ModelCall(0, (), Reply(said, reasoning=reasoning, usage=usage, model=str(step.get("model_name") or model))),
    )


def _text(content: Any) -> str:
    """Return a message's text: it may be a list of parts, of which pictures are named."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text") or f"[{part.get('type')}]") for part in parts)


def _seconds(step: Json) -> float:
    when = datetime.fromisoformat(str(step.get("timestamp")).replace("Z", "+00:00"))
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _plain(task: TaskView) -> dict[str, str]:
    return {name: getattr(task, name) for name in TaskView.__slots__}
