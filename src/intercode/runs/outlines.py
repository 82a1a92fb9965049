"""Episodes without what was seen, asked and answered, which is most of a line: all that figures and tables need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, Literal

import msgspec

from intercode.errors import BadDataError
from intercode.types import (
    Action,
    Observation,
    Score,
    Scores,
    Status,
    TaskView,
    Trajectory,
    Turn,
    trajectories,
)
from intercode.types.conversation import NO_USAGE, ModelCall, Reply, Usage
from intercode.types.validation import check, check_head, check_turn
from intercode_sandbox.network.usage import NetworkUsage

Kind = Literal["execute", "submit", "skip", "nothing"]


class _Action(msgspec.Struct):
    kind: Kind
    text: str = ""


class _Observation(msgspec.Struct):
    exit_code: int | None = None
    timed_out: bool = False


class _Score(msgspec.Struct):
    value: float
    success: bool


class _Reply(msgspec.Struct):
    finish_reason: str = ""
    seconds: float = 0.0


class _Call(msgspec.Struct):
    reply: _Reply


class _Turn(msgspec.Struct):
    action: _Action
    observation: _Observation
    reward: float = 0.0
    scores: dict[str, _Score] | None = None
    calls: Sequence[_Call] = ()


class _Line(msgspec.Struct):
    task: TaskView
    agent: str
    status: Status
    turns: list[_Turn]
    scores: dict[str, _Score] | None = None
    seed: int | None = None
    repeat: int = 0
    image: str = ""
    started_at: float = 0.0
    seconds: float = 0.0
    error: str = ""
    usage: Usage = NO_USAGE
    network: NetworkUsage | None = None


_decoder = msgspec.json.Decoder(_Line)


def read(line: bytes) -> Trajectory:
    """Return the outline of the episode in *line*. What an outline leaves out is not looked at.

    Raises:
        BadDataError: If it is no episode, or holds a value that no episode has. Names the field.
    """
    try:
        found = _from(_decoder.decode(line))
        check_head(found)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, BadDataError):
        whole = trajectories.loads(line)  # which also takes NaN, and names what is wrong
        check(whole)
        return outline(whole)
    return found


def outline(episode: Trajectory | _Line) -> Trajectory:
    """Return *episode* without observations, thoughts, what models were asked and said, phases and parts of scores.

    It is small.
    """
    return _from(episode)


def _from(found: Trajectory | _Line) -> Trajectory:
    return Trajectory(
        task=found.task,
        agent=found.agent,
        status=found.status,
        turns=tuple(map(_turn, found.turns)),
        scores=_shared_scores(*_flat(found.scores)),
        seed=found.seed,
        repeat=found.repeat,
        image=found.image,
        started_at=found.started_at,
        seconds=found.seconds,
        error=found.error,
        usage=found.usage,
        network=found.network,
    )


def _turn(turn: Turn | _Turn) -> Turn:
    seen, action = turn.observation, turn.action
    code = action.text if action.kind == "execute" else ""
    found = _shared_turn(action.kind, code, seen.exit_code, seen.timed_out, turn.reward, *_flat(turn.scores))
    if not turn.calls:
        return found
    calls = tuple([_shared_call(call.reply.finish_reason, call.reply.seconds) for call in turn.calls])
    return Turn(found.action, found.observation, found.reward, found.scores, calls=calls)


@lru_cache(maxsize=10_000)
def _shared_call(finish_reason: str, seconds: float) -> ModelCall:
    return ModelCall(0, (), Reply("", finish_reason=intern(finish_reason), seconds=seconds))


def _flat(scores: Mapping[str, Score | _Score] | None) -> tuple[Any, ...]:
    return () if scores is None else tuple((name, score.value, score.success) for name, score in scores.items())


@lru_cache(maxsize=10_000)  # few are different
def _shared_turn(
    kind: Kind, code: str, exit_code: int | None, timed_out: bool, reward: float, *scores: tuple[Any, ...]
) -> Turn:
    turn = Turn(Action(kind, code), Observation("", exit_code, timed_out), reward, _shared_scores(*scores))
    check_turn(turn)
    return turn


@lru_cache(maxsize=10_000)
def _shared_scores(*scores: tuple[Any, ...]) -> Scores | None:
    return {name: Score(value, success) for name, value, success in scores} or None
