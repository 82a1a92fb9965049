"""Rewards: HOW an ending is judged. A promise (`base`), one file for each reward, and each world's own scorings.

`find("exact")`, `find("paper")`, `find("./shortest.py")`: a plug-in's name, or a file of one's own with a function
`reward(result)` or one class.
"""

from __future__ import annotations

import inspect
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path

from intercode import registry
from intercode.errors import UserError
from intercode.rewards.base import Reward
from intercode.rewards.core.function import FunctionReward, RewardFunction, load
from intercode.types import SCORINGS, Scoring

__all__ = ["digest", "find", "scoring_of"]


def find(name: str | PathLike[str]) -> Reward:
    """Find a reward.

    Args:
        name: A plug-in's name, or a Python file with a reward, which is run.

    Raises:
        UnknownNameError: If there is no such reward; the message lists all names.
        BadDataError: If the file is missing or holds no reward.
    """
    name = fspath(name)
    if name.endswith(".py"):
        return load(Path(name))
    found = registry.find("rewards", name)
    made: Reward = registry.create("rewards", name) if isinstance(found, type) else FunctionReward(found)
    return made


def scoring_of(
    reward: str | PathLike[str] | Reward | RewardFunction | None, scoring: Scoring | None, default: Scoring
) -> Scoring:
    """Return how the world is played. A reward other than `exact` and `paper` leads unless `paper` is chosen.

    Args:
        reward: The reward that was chosen; None or "" for none.
        scoring: The scoring that was chosen; None for none.
        default: The data set's own.

    Raises:
        UserError: If *reward* and *scoring* were both chosen and contradict each other.
    """
    itself = next((each for each in SCORINGS if each == reward), None)
    if itself and scoring and scoring != itself:
        raise UserError(f"the reward {reward} is not the scoring {scoring}: name one of them, and leave out the other")
    return itself or scoring or ("exact" if reward else default)


def digest(name: str) -> str:
    """Return a hex digest of the source of the reward called *name*: equal for two runs that the same code judged."""
    path = Path(name) if name.endswith(".py") else _source(registry.find("rewards", name))
    return sha256(path.read_bytes()).hexdigest()


def _source(plugin: type) -> Path:
    return Path(inspect.getfile(plugin))
