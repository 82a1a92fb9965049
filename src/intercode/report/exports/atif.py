"""ATIF 1.8, Harbor's Agent Trajectory Interchange Format (RFC 0001): a folder with one JSON document an episode.

It has no field for rewards and refuses unknown ones, so rewards, state hashes and seeds are in `extra`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from intercode import __version__, world_specs
from intercode.report.export import Export, RunData, clean, rewards
from intercode.report.exports.conversation.answers import matching_reply
from intercode.report.exports.conversation.messages import tools_of
from intercode.types import Trajectory, Turn, scores_as_dict
from intercode.types.conversation import Usage
from intercode_sandbox.util.text import pluralize

VERSION = "ATIF-v1.8"

LONGEST = 180
"""Bytes of a task's id in the name of its file; the place before it tells apart those that are alike so far."""

Json = dict[str, Any]


def write(material: RunData, path: Path) -> str:
    """Return a file for each episode, named after its place, its task and its repeat."""
    path.mkdir(parents=True)
    for name, episode in unique_names(material.episodes):
        text = json.dumps(clean(document(material, episode)), ensure_ascii=False, indent=1, allow_nan=False)
        (path / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    return pluralize(len(material.episodes), "trajectory", "trajectories")


def unique_names(episodes: Iterable[Trajectory]) -> Iterator[tuple[str, Trajectory]]:
    """Yield each of *episodes* with a name that a file may have, and no other."""
    for place, episode in enumerate(episodes, 1):
        yield f"{place:05}-{_short(episode.task.id)}-{episode.repeat}", episode


def _short(task: str) -> str:
    """Return a task's id as part of a file's name, which has at most 255 bytes and neither `/` nor NUL."""
    return re.sub(r"[/\0]", "-", task).encode()[:LONGEST].decode(errors="ignore")


def document(material: RunData, episode: Trajectory) -> Json:
    """Return the whole episode; what is not there is left out."""
    models = [call.reply.model for turn in episode.turns for call in turn.calls if call.reply.model]
    opening = list(_first_steps(episode))
    steps = opening + [_step(episode, turn) for turn in episode.turns]
    return _without_none(
        {
            "schema_version": VERSION,
            "session_id": material.name,
            "trajectory_id": f"{material.name}/{episode.task.id}/{episode.repeat}",
            "agent": _without_none(
                {
                    "name": episode.agent,
                    "version": material.manifest.machine.get("intercode", __version__),
                    "model_name": models[0] if models else None,
                    "tool_definitions": tools_of(episode) or None,
                }
            ),
            "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)],
            "notes": _notes(episode),
            "final_metrics": _final(episode, len(steps)),
            "extra": {
                "task": episode.task.id,
                "world": episode.task.world,
                "category": episode.task.category,
                "difficulty": episode.task.difficulty,
                "repeat": episode.repeat,
                "seed": episode.seed,
                "status": episode.status,
                "image": episode.image,
                **rewards(episode, material.scoring),
                "scores": scores_as_dict(episode.scores),
            },
        }
    )


def _notes(episode: Trajectory) -> str | None:
    why = "refused by the model's provider" if episode.status == "refused" else "broken by the machine"
    return f"{why}: {episode.error}" if episode.error else None


def _first_steps(episode: Trajectory) -> Iterator[Json]:
    """Yield what was said before the first turn: the first question to the model, else the query.

    Answers in demonstrations are told to the model by us, so they are the user's.
    """
    calls = [call for turn in episode.turns for call in turn.calls]
    if not calls:
        yield {"source": "user", "message": episode.task.query}
    else:
        for message in calls[0].sent:
            yield {"source": "system" if message.role == "system" else "user", "message": message.text}


def _step(episode: Trajectory, turn: Turn) -> Json:
    """Return a turn: what the model said, the action as a call of the world's tool, and what it did."""
    last = matching_reply([call.reply for call in turn.calls], turn, episode.task.world) if turn.calls else None
    call = _call(episode.task.world, turn)
    result = {"source_call_id": call["tool_call_id"] if call else None, "content": turn.observation.text}
    happened = {"exit_code": turn.observation.exit_code, "timed_out": turn.observation.timed_out}
    return _without_none(
        {
            "timestamp": time(episode.started_at + turn.started),
            "source": "agent",
            "model_name": last.model or None if last else None,
            "message": last.text if last else turn.thought,
            "reasoning_content": (last.reasoning or turn.thought or None) if last else None,
            "tool_calls": [call] if call else None,
            "observation": {"results": [_without_none({**result, "extra": happened})]},
            "metrics": _metrics(turn) if last else None,
            "llm_call_count": len(turn.calls),
            "extra": {
                "reward": turn.reward,
                "scores": scores_as_dict(turn.scores),
                "state_hash": turn.state_hash,
                "loss_mask": int(bool(turn.calls) or episode.agent == "human"),
            },
        }
    )


def _call(world: str, turn: Turn) -> Json | None:
    identity = f"call-{turn.started:.6f}"
    if turn.action.kind == "execute":
        return {
            "tool_call_id": identity,
            "function_name": world_specs.find(world).name,
            "arguments": {"code": turn.action.text},
        }
    if turn.action.kind == "nothing":
        return None
    answer = {"answer": turn.action.text} if turn.action.text else {}
    return {"tool_call_id": identity, "function_name": turn.action.kind, "arguments": answer}


def _metrics(turn: Turn) -> Json:
    """Return what the turn's calls took; the tokens themselves where there was one call that told them."""
    usage = turn.usage
    metrics: Json = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost_usd": usage.cost,
    }
    tokens = turn.calls[0].reply.tokens if len(turn.calls) == 1 else None
    if tokens is not None:
        metrics["prompt_token_ids"] = list(tokens.prompt_ids) or None
        metrics["completion_token_ids"] = list(tokens.ids) or None
        metrics["logprobs"] = list(tokens.logprobs) or None
    return _without_none(metrics)


def _final(episode: Trajectory, steps: int) -> Json:
    if episode.usage == Usage():
        return {"total_steps": steps}
    return _without_none(
        {
            "total_prompt_tokens": episode.usage.prompt_tokens,
            "total_completion_tokens": episode.usage.completion_tokens,
            "total_cached_tokens": episode.usage.cached_tokens,
            "total_cost_usd": episode.usage.cost,
            "total_steps": steps,
        }
    )


def time(seconds: float) -> str:
    """Return a moment as ISO 8601 has it, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _without_none(values: Json) -> Json:
    return {name: value for name, value in values.items() if value is not None}


EXPORT = Export(write, "", with_errors=True)
