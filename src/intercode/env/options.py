"""What every environment takes beside its data set, and whether it goes together."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TypedDict, get_args

from intercode import registry
from intercode.env.option_types import check_types
from intercode.env.world import World
from intercode.errors import UserError
from intercode.rewards.base import Reward
from intercode.rewards.core.function import RewardFunction
from intercode.types import SCORINGS, Scoring, StepReward
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox


class PlayOptions(TypedDict, total=False):
    """What every world takes beside its data set, for subclasses that hand it on; the defaults are `Env`'s."""

    scoring: Scoring | None
    reward: str | PathLike[str] | Reward | RewardFunction | None
    turns: int
    reward_every_turn: bool
    step_reward: StepReward
    render_mode: str | None
    seconds: float | None
    episode_seconds: float | None


class EnvOptions(PlayOptions, total=False):
    """The same for worlds that run in a sandbox."""

    sandbox: str | Sandbox
    image: str | PathLike[str] | Image | None
    limits: Limits | None
    network: str | Sequence[str] | None
    verifier_network: str | Sequence[str] | None


def check(env: World) -> None:
    """Check the options of *env*.

    Raises:
        UserError: If an option has an impossible value, or the data set is for another world.
    """
    dataset, name = env.dataset, env.dataset.name
    if env.scoring not in SCORINGS:
        raise UserError(f"no scoring called {env.scoring!r}; there are: {', '.join(SCORINGS)}")
    if env.rewards and env.scoring not in env.rewards:
        raise UserError(f"the world {env.world} has no scoring called {env.scoring}; it has: {', '.join(env.rewards)}")
    if env.step_reward not in get_args(StepReward):
        raise UserError(f"no step reward called {env.step_reward!r}; there are: {', '.join(get_args(StepReward))}")
    if env.step_reward == "progress" and env.scoring != "exact":
        raise UserError(f"step_reward='progress' adds up to the exact score, and scoring is {env.scoring!r}")
    if env.turns < 1:
        raise UserError(f"turns={env.turns}: an episode needs at least one")
    check_seconds("seconds", env.clock.seconds)
    check_seconds("episode_seconds", env.clock.episode_seconds)
    if len(dataset) == 0:
        raise UserError(f"the data set {name} is empty: there is nothing to play")
    if dataset.world != env.world and not _is_in(env, dataset.world):
        raise UserError(f"{name} is for the world {dataset.world!r}, and this is {env.world!r}: {_way_out(env)}")


def _way_out(env: World) -> str:
    """Return what to do about a data set that is for another world than *env*'s; a file of tasks can be for any."""
    if "world" in registry.options(type(env.dataset)):
        return f"say which world a file is for (--dataset-option world={env.world}, or datasets.load(PATH, world=…))"
    return "name a data set of that world (--dataset NAME, or dataset=NAME in Python)"


def check_seconds(name: str, seconds: float | None) -> None:
    """Check a time limit.

    Raises:
        UserError: If *seconds* is not a positive number; the message calls it *name*.
    """
    check_types({name: seconds})
    if seconds is not None and not seconds > 0:
        raise UserError(f"{name}={seconds}: a time limit is more than 0 seconds; leave it out for none")


def _is_in(env: World, file: str) -> bool:
    """Return whether *file* is the one of a user's own that the world of *env* is defined in."""
    return file.endswith(".py") and registry.find("envs", file) is type(env)
