"""Which reward judges the episodes of an environment beside the world's own, and what its scores are called."""

from __future__ import annotations

import re
from os import PathLike, fspath

from intercode import rewards
from intercode.datasets.base import Dataset
from intercode.errors import UserError
from intercode.rewards.base import Reward
from intercode.rewards.core.function import FunctionReward, RewardFunction, load
from intercode.rewards.exact import ExactReward
from intercode.rewards.paper import PaperReward
from intercode.types import SCORINGS, reward_name


def choose_reward(
    reward: str | PathLike[str] | Reward | RewardFunction | None, dataset: Dataset
) -> tuple[Reward | None, str]:
    """Return *reward* as an object, and what its scores are called; where none was chosen, the data set's own, if any.

    `exact` and `paper` are the world's, whatever the data set brings; only a data set may put its own in the place
    of one of them.

    Raises:
        UnknownNameError: If there is no such reward.
        BadDataError: If its file cannot be read.
        UserError: If it is neither a name, nor a function, nor a `Reward`; or is called as one of the world's.
    """
    if reward is None:
        return (None, "") if dataset.reward_file is None else (load(dataset.reward_file), dataset.reward_name)
    if isinstance(reward, str | PathLike):
        return (None, "") if reward in SCORINGS else (rewards.find(reward), _free(reward_name(fspath(reward))))
    if isinstance(reward, Reward):
        name = _snake(type(reward).__name__.removesuffix("Reward"))
        return reward, name if isinstance(reward, ExactReward | PaperReward) else _free(name)
    if isinstance(reward, type) or not callable(reward):
        raise UserError(
            f"a reward is a name, a file, a function of an EpisodeResult, or an object of a class of Reward, "
            f"not {reward!r:.80}"
        )
    return FunctionReward(reward), _free(_function_name(reward))


def _free(name: str) -> str:
    """Return *name* as it is stored, if a reward may be called so.

    Raises:
        UserError: If the world's own are.
    """
    if name in SCORINGS:
        raise UserError(f"a reward's scores are stored under its name, and {name} is the world's: call it otherwise")
    return reward_name(name)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() or "reward"


def _function_name(function: RewardFunction) -> str:
    name: str = getattr(function, "__name__", "reward")
    return name if name.isidentifier() else "reward"
