"""One logged turn of a published recording, as each harness logged it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

from intercode.audit.replay.published.histories import History
from intercode.errors import BadDataError

Harness = Literal["try again", "react", "plan & solve", "by hand"]
"""Who played: one of the published harnesses, or a person at the environment itself."""

World = Literal["bash", "sql", "python", "ctf"]

Kind = Literal["run", "submit", "skip", "nothing"]
"""What reached the environment at a turn: code, a word of its own, or nothing since no code was found."""

CUT = 350
"""Characters of an observation that ReAct kept."""

NO_CODE = re.compile(
    r"code was found in your last response|action did not contain|format your \w+ command as follows", re.IGNORECASE
)
"""Part of what each harness answered where it found no code."""

REACT_NO_CODE = "Error executing query: Your last `execute` action did not contain bash code"
"""What ReAct said to an action without code, in the Bash world."""

REACT_NO_SQL = REACT_NO_CODE.replace("bash", "sql")
"""The same in the SQL world."""

REACT_ROWS = 25
"""Rows of a result that ReAct kept."""

BLOCKED = "blocked"
"""Logged as the action when the model failed: there is a reward of 0 for it, and no observation."""

FUNCTION = re.compile(r"def (\w+)\(")
"""How the harness found the function that an action defines: the first, which need not be the last."""

MARKED = "cmd "
"""Stands before commands in the first recordings of capture the flag."""


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


def harness_of(history: History) -> Harness:
    """Return the harness that logs such a history."""
    if history.name == "turn_history":
        return "react" if "thoughts" in history.fields else "plan & solve" if "steps" in history.fields else "try again"
    is_judged_on_the_way = any(history.rewards) and not any(map(_is_submit, history.actions))
    return "try again" if is_judged_on_the_way else "by hand"


def turns(harness: Harness, world: World, history: History) -> tuple[RecordedTurn, ...]:
    """Return the turns of *history*, read as *harness* logged them.

    Raises:
        BadDataError: If its lists do not fit each other.
    """
    actions, observations, rewards = history.actions, history.observations, history.rewards
    if not actions and rewards == (0.0,):  # Plan & Solve without a plan
        return ()
    blocked = actions[-1:] == (BLOCKED,) and len(observations) == len(actions) - 1
    if len(rewards) != len(actions) or (len(observations) != len(actions) and not blocked):
        raise BadDataError(
            f"{len(actions)} actions, {len(observations)} observations, {len(rewards)} rewards in an episode"
        )
    parse = _parser(harness, world)
    found = tuple(parse(*turn) for turn in zip_longest(actions, observations, rewards))
    if harness == "plan & solve" and world == "sql":  # it stepped `submit` even where there was no code
        return tuple(replace(turn, judged=True) for turn in found)
    return found if history.final_reward is None else _ended(world, found, history.final_reward)


def _ended(world: World, found: tuple[RecordedTurn, ...], reward: float) -> tuple[RecordedTurn, ...]:
    """Return the turns of an episode with *reward* where it was handed in, which the environment did not log itself."""
    if world == "ctf":
        last = max((at for at, turn in enumerate(found) if turn.judged), default=None)
        return tuple(replace(turn, reward=reward) if at == last else turn for at, turn in enumerate(found))
    seen = found[-1].observation if found else ""
    if world != "python":
        return (*found, RecordedTurn("submit", "submit", "submit", seen, reward, judged=True))
    functions = [name for turn in found if (name := submitted_function(turn))]
    plain = tuple(replace(turn, judged=False) for turn in found)
    made = [RecordedTurn(f"submit {name}", "submit", name, seen, reward, judged=True) for name in functions[-1:]]
    return (*plain, *made)


def submitted_function(turn: RecordedTurn) -> str:
    """Return the function that is handed in at *turn* of a Python episode; "" for none."""
    if turn.kind == "submit":
        return turn.code
    match = FUNCTION.match(turn.code) if turn.judged else None
    return match[1] if match else ""


def _parser(harness: Harness, world: World) -> Callable[[str, str | None, float], RecordedTurn]:
    if world in ("python", "ctf"):
        return _python_turn if world == "python" else _ctf_turn
    return {"react": _react_turn, "by hand": _typed_turn}.get(harness, _judged_turn)


def _typed_turn(action: str, observation: str | None, reward: float) -> RecordedTurn:
    """By hand: what was typed is run, and only `submit` is judged."""
    return RecordedTurn(action, _kind(action), action, observation or "", reward, judged=_is_submit(action))


def _judged_turn(action: str, observation: str | None, reward: float) -> RecordedTurn:
    """Try again, plan & solve: each action is run, then `submit` is stepped."""
    if observation is None or NO_CODE.search(observation):
        return RecordedTurn(action, "nothing", observation=observation or "", reward=reward)
    return RecordedTurn(action, _kind(action), action, observation, reward, judged=True)


def _python_turn(action: str, observation: str | None, reward: float) -> RecordedTurn:
    """Everything is run; then the function that an action begins with is submitted, if it begins with one."""
    if observation is None:
        return RecordedTurn(action, "nothing", reward=reward)
    return RecordedTurn(action, "run", action, observation, reward, judged=action.startswith("def"))


def _ctf_turn(action: str, observation: str | None, reward: float) -> RecordedTurn:
    """Only flags are judged, and only by `submit`; in the first recordings commands are marked by `cmd`."""
    turn = _judged_turn(action, observation, reward)
    return replace(turn, code=turn.code.removeprefix(MARKED), judged=turn.kind == "submit")


def _react_turn(action: str, observation: str | None, reward: float) -> RecordedTurn:
    """ReAct: what stands between `execute[` and the last `]` is run; only `submit` is judged."""
    match = re.search(r"execute\[(.*)\]", action, re.DOTALL)
    code = match[1] if match else action
    if match is None and action != "submit":
        return RecordedTurn(action, "nothing", observation=observation or "", reward=reward)
    return RecordedTurn(action, _kind(code), code, observation or "", reward, judged=_is_submit(code))


def _kind(code: str) -> Kind:
    if _is_submit(code):
        return "submit"
    return "skip" if code == "skip" else "run"


def _is_submit(code: str) -> bool:
    """As the published environment reads it: whatever begins with `submit` is one."""
    return code.startswith("submit")
