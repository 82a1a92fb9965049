"""What happens in one turn of an episode: an action is taken, and judged where it is time for that.

A part of `Env`, in a file of its own: it knows what `Env` keeps to itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from intercode.envs.core import progress
from intercode.envs.core.failures import BROKEN, LOST
from intercode.envs.core.observations import as_observation, with_notice
from intercode.envs.core.state_hash import state_hash
from intercode.types import Action, Observation, Status, Turn

if TYPE_CHECKING:
    from intercode.envs.base import Env

SKIPPED = Observation("skipped")

TIME_OVER = "the episode's {:g} s are over: it is judged as it stands"
TOO_LATE = f"[nothing was run: {TIME_OVER}]"

ENDINGS: Mapping[str, Status] = {"submit": "submitted", "skip": "skipped"}


def take(env: Env, action: Action, started: float) -> Turn:
    """Take *action* in *env*, *started* seconds after the episode; whoever breaks the session has failed."""
    observation = None
    if env.episode_seconds is not None and started >= env.episode_seconds and action.kind != "skip":
        action = Action("nothing", TOO_LATE.format(env.episode_seconds))
    try:
        observation = _observe(env, action)
        return _judge_turn(env, action, observation, started)
    except BROKEN:
        return _broken_turn(env, action, observation, started)


def _observe(env: Env, action: Action) -> Observation:
    if action.kind == "skip":
        return SKIPPED
    if action.kind == "submit":
        env._handed_in = action.text
        return as_observation(env.on_submit(action.text), env.task.id, "on_submit")
    if action.kind == "nothing":
        env._idle += 1
        return Observation(action.text)
    with env._running_code:
        observation = as_observation(env.execute(action.text), env.task.id, "execute")
    env.turn += 1
    env.answer = observation.text
    return observation


def _judge_turn(env: Env, action: Action, observation: Observation, started: float) -> Turn:
    ending = env.status_after(action)
    if ending is None and env.seconds_left == 0.0:
        ending, observation = "truncated", _add_time_notice(env, observation)
    if ending in ("submitted", "truncated"):
        env.stop_processes()
    is_judged = action.kind == "submit" or ending == "truncated" or (ending is None and env.reward_every_turn)
    scores = env._judge.scores(env, Turn(action, observation, started=started)) if is_judged else None
    env.status, env._playing = ending, ending is None
    reward = progress.reward(env, scores, is_over=ending is not None)
    return Turn(action, observation, reward, scores, env.state_hash(), started)


def _add_time_notice(env: Env, observation: Observation) -> Observation:
    """*observation*, and that it is the last one because time is over."""
    why = TIME_OVER.format(env.episode_seconds)
    return observation if why in observation.text else replace(observation, text=with_notice(observation.text, why))


def _broken_turn(env: Env, action: Action, observation: Observation | None, started: float) -> Turn:
    """The last turn of an episode whose session is gone; *observation* is what was seen before, if anything."""
    if observation is None and action.kind == "execute":
        env.turn += 1
        env.answer = None
    env.status, env._playing = ENDINGS.get(action.kind, "truncated"), False
    env.end_episode()
    scores = None if action.kind == "skip" else env._judge.failure(env)
    reward = progress.reward(env, scores, is_over=True)
    return Turn(action, observation or Observation(f"[{LOST}]"), reward, scores, state_hash((), LOST), started)
