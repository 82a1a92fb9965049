"""What OpenEnv's clients send and get (protocol of OpenEnv 0.10), as typed values and as JSON.

Nothing here holds a gold: tasks are `TaskView`s, and of a score go its value, success and parts, but not its notes,
which may say what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from intercode.integrations.serving.sessions import EpisodeSession
from intercode.types import Observation, Scores, Task, Turn
from intercode_sandbox.util.text import shorten

Json = dict[str, Any]

MOST_IGNORED, LONGEST_NAME = 20, 100
"""How many of the fields that mean nothing here are named to the client, and characters of each."""


class CodeAction(Struct, forbid_unknown_fields=True):
    """What an agent does. `metadata` is OpenEnv's, and plays no part."""

    text: Annotated[str, Meta(description="Code to run; `submit` or `submit ANSWER` hands in, `skip` gives up")]
    timeout_s: Annotated[float, Meta(gt=0, description="Seconds that the action may take")] | None = None
    metadata: Json = {}


class CodeObservation(Struct):
    """What an action did. `exit_code` is null where nothing was run or nothing ended."""

    text: Annotated[str, Meta(description="What the agent sees")] = ""
    exit_code: int | None = None
    timed_out: bool = False
    truncated: Annotated[bool, Meta(description="Whether the output was cut at the limit")] = False
    state_hash: Annotated[str, Meta(description="Equal for equal states of the world")] = ""
    done: bool = False
    reward: Annotated[float, Meta(ge=0, le=1)] | None = None
    metadata: Json = {}


class CodeState(Struct):
    """Where an episode stands. `status` is null while it goes on: else submitted, truncated, skipped or error."""

    episode_id: str | None = None
    step_count: int = 0
    task: str = ""
    status: str | None = None


class ResetOptions(Struct):
    """What a reset may say. `task` is an id or its end; `index` counts in `split`. Other fields are ignored."""

    seed: Annotated[int, Meta(ge=0)] | None = None
    episode_id: Annotated[str, Meta(max_length=255)] | None = None
    task: str | int | None = None
    index: int | None = None
    split: str | None = None


class StepMessage(Struct):
    """A step over HTTP. `session_id` is what the metadata of the reset's answer holds."""

    session_id: str
    action: CodeAction
    timeout_s: Annotated[float, Meta(gt=0)] | None = None


class SessionMessage(Struct):
    """What is asked of a session over HTTP."""

    session_id: str


class SocketMessage(Struct):
    """A message over a WebSocket."""

    type: str
    data: Json = {}


NO_STATE = msgspec.to_builtins(CodeState())


def schema() -> Json:
    """Return the JSON schemas of `/schema`."""
    return {
        "action": _schema(CodeAction),
        "observation": _schema(CodeObservation),
        "state": _schema(CodeState),
    }


def _schema(kind: type[Struct]) -> Json:
    (found,), components = msgspec.json.schema_components([kind])
    return dict(components[kind.__name__]) if components else dict(found)


def reset_answer(session: EpisodeSession, observation: Observation, asked: Mapping[str, Any]) -> Json:
    """Return the answer to a reset. It names the fields that were *asked* for and mean nothing here."""
    metadata: Json = {"task": task_to_json(session.env.task), "session_id": session.id}
    if ignored := sorted(asked.keys() - set(ResetOptions.__struct_fields__)):
        metadata["ignored"] = [shorten(name, LONGEST_NAME) for name in ignored[:MOST_IGNORED]]
    return _answer(CodeObservation(observation.text, metadata=metadata), None, False)


def step_answer(session: EpisodeSession, turn: Turn) -> Json:
    """Return the answer to a step. The reward of an episode that was not judged is null, never 0."""
    status, seen = session.env.status, turn.observation
    metadata: Json = {"status": status, "terminated": status in ("submitted", "skipped"), "turn": session.env.turn}
    if turn.scores is not None:
        metadata["scores"] = scores_to_json(turn.scores)
    observation = CodeObservation(
        seen.text, seen.exit_code, seen.timed_out, seen.truncated, turn.state_hash, metadata=metadata
    )
    is_unscored = status is not None and turn.scores is None
    return _answer(observation, None if is_unscored else turn.reward, status is not None)


def _answer(observation: CodeObservation, reward: float | None, done: bool) -> Json:
    """OpenEnv has reward and end beside the observation, and the metadata twice, for its older clients."""
    fields = msgspec.to_builtins(observation)
    del fields["reward"], fields["done"]
    return {"observation": fields, "reward": reward, "done": done, "metadata": observation.metadata}


def state_of(session: EpisodeSession) -> Json:
    """Return the state of what *session* plays."""
    env = session.env
    task = env.task.id if env.episode else ""
    state: Json = msgspec.to_builtins(CodeState(session.episode_id or None, session.steps, task, env.status))
    return state


def scores_to_json(scores: Scores) -> Json:
    """Return both judgements without their notes."""
    return {
        name: {"value": score.value, "success": score.success, "parts": dict(score.parts)}
        for name, score in scores.items()
    }


def task_to_json(task: Task) -> Json:
    """Return what a client may know of a task."""
    found: Json = msgspec.to_builtins(task.view())
    return found


def encode(value: object) -> bytes:
    """As JSON. Half surrogate pairs, which no JSON of msgspec's can hold, come as question marks."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_readable(value))


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_readable(name): _readable(each) for name, each in value.items()}
    return [_readable(each) for each in value] if isinstance(value, list) else value
