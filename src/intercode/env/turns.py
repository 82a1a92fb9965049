"""What happens in one turn of an episode: an action is taken, and judged where it is time for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from intercode.env import judging, progress
from intercode.env.failures import BROKEN, LOST
from intercode.env.observations import as_observation, with_notice
from intercode.env.state_hash import state_hash
from intercode.env.world import World
from intercode.types import Action, Observation, Status, Turn

SKIPPED = Observation("skipped")

TIME_OVER = "the episode's {:g} s are over: it is judged as it stands"
TOO_LATE = f"[nothing was run: {TIME_OVER}]"

ENDINGS: Mapping[str, Status] = {"submit": "submitted", "skip": "skipped"}


def take_turn(env: World, action: Action) -> Turn:
    """Take *action* in *env*, whose episode has that turn then; whoever breaks the session has failed."""
    observation, started, limit = None, env.clock.elapsed, env.clock.episode_seconds
    if limit is not None and started >= limit and action.kind != "skip":
        action = Action("nothing", TOO_LATE.format(limit))
    try:
        observation = _observe(env, action)
        turn = _judge_turn(env, action, observation, started)
    except BROKEN:
        turn = _broken_turn(env, action, observation, started)
    env.episode = replace(env.current_episode, turns=(*env.current_episode.turns, turn))
    return turn


def _observe(env: World, action: Action) -> Observation:
    if action.kind == "skip":
        return SKIPPED
    if action.kind == "submit":
        env.episode = replace(env.current_episode, handed_in=action.text)
        return as_observation(env.on_submit(action.text), env.task.id, "on_submit")
    if action.kind == "nothing":
        env.episode = env.current_episode.after_nothing()
        return Observation(action.text)
    with env.running_code:
        observation = as_observation(env.execute(action.text), env.task.id, "execute")
    env.episode = env.current_episode.after_code(observation.text)
    return observation


def _judge_turn(env: World, action: Action, observation: Observation, started: float) -> Turn:
    ending = env.status_after(action)
    if ending is None and env.clock.seconds_left == 0.0:
        ending, observation = "truncated", _add_time_notice(env, observation)
    if ending in ("submitted", "truncated"):
        env.stop_processes()
    is_judged = action.kind == "submit" or ending == "truncated" or (ending is None and env.reward_every_turn)
    last = Turn(action, observation, started=started)
    scores = judging.judge(env, last).scores if is_judged else None
    env.episode = env.current_episode.ended(ending)
    reward = progress.reward(env, scores, is_over=ending is not None)
    return Turn(action, observation, reward, scores, env.state_hash(), started)


def _add_time_notice(env: World, observation: Observation) -> Observation:
    """Return *observation*, and that it is the last one because time is over."""
    why = TIME_OVER.format(env.clock.episode_seconds)
    return observation if why in observation.text else replace(observation, text=with_notice(observation.text, why))


def _broken_turn(env: World, action: Action, observation: Observation | None, started: float) -> Turn:
    """Return the last turn of an episode whose session is gone; *observation* is what was seen before, if anything."""
    if observation is None and action.kind == "execute":
        env.episode = env.current_episode.after_code(None)
    env.episode = env.current_episode.ended(ENDINGS.get(action.kind, "truncated"))
    env.end_episode()
    scores = None if action.kind == "skip" else judging.failure(env)
    reward = progress.reward(env, scores, is_over=True)
    return Turn(action, observation or Observation(f"[{LOST}]"), reward, scores, state_hash((), LOST), started)
