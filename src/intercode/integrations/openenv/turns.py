"""A reset and a step, as a client asks for them."""

from __future__ import annotations

import uuid

import msgspec

from intercode.integrations.openenv import protocol
from intercode.integrations.openenv.protocol import CodeAction, Json, ResetOptions
from intercode.integrations.serving.served_tasks import ServedTasks
from intercode.integrations.serving.sessions import EpisodeSession
from intercode.types import Action
from intercode.util.decoding import ready


async def reset(session: EpisodeSession, tasks: ServedTasks, data: Json) -> Json:
    """Begin the episode that *data* asks for.

    Raises:
        msgspec.ValidationError: If *data* has a wrong form.
        UserError: If there is no such task.
        MachineError: If the world does not start.
    """
    asked = msgspec.convert(data, ready(ResetOptions))
    observation = await session.reset(seed=asked.seed, task=_task(asked, tasks))
    session.episode_id = asked.episode_id or uuid.uuid4().hex
    return protocol.reset_answer(session, observation, data)


async def step(session: EpisodeSession, action: CodeAction, timeout: float | None = None) -> Json:
    """Take *action*, in *timeout* seconds where that is given.

    Raises:
        UserError: If there is no episode.
        MachineError: If it was lost.
    """
    seconds = action.timeout_s if timeout is None else timeout
    turn = await session.act(Action.parse(action.text), seconds=seconds)
    return protocol.step_answer(session, turn)


def _task(asked: ResetOptions, tasks: ServedTasks) -> str | int | None:
    """Return which task is asked for: an id, an index in all tasks or in a split, or None for the next."""
    if asked.task is not None:
        return asked.task
    if asked.split is None or asked.index is None:
        return asked.index
    return tasks.of_split(asked.split, asked.index).id
