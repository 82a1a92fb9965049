"""What OpenEnv's clients send and get, as the classes that they expect. Needs OpenEnv; the server does not."""

from __future__ import annotations

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class CodeAction(Action):
    """What an agent does: run code, hand in (`submit`, `submit ANSWER`) or give up (`skip`)."""

    text: str = Field(description="Code to run; `submit` or `submit ANSWER` hands in, `skip` gives up")
    timeout_s: float | None = Field(default=None, gt=0, description="Seconds that the action may take")


class CodeObservation(Observation):
    """What an action did. `exit_code` is None where nothing was run or nothing ended.

    `metadata` holds the task after a reset; after a step the status, and the scores where the episode was judged.
    """

    text: str = Field(default="", description="What the agent sees")
    exit_code: int | None = None
    timed_out: bool = False
    truncated: bool = Field(default=False, description="Whether the output was cut at the limit")
    state_hash: str = Field(default="", description="Equal for equal states of the world")


class CodeState(State):
    """Where an episode stands. `status` is None while it goes on: else submitted, truncated, skipped or error."""

    task: str = ""
    status: str | None = None
