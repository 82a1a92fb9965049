"""What a turn counts in GRPO, where an episode has several. Needs torch."""

from __future__ import annotations

import torch
from torch import Tensor


def advantages(rewards: Tensor, group: int) -> Tensor:
    """What is earned from each turn on, less the mean of the *group*; 0 where the machine failed.

    Args:
        rewards: A row for each episode and a column for each turn; not a number where the machine failed.
        group: So many episodes, one after the other, are of one task.
    """
    to_come = rewards.flip(1).cumsum(1).flip(1).view(-1, group, rewards.shape[1])
    return (to_come - to_come.nanmean(1, keepdim=True)).nan_to_num(0.0).view_as(rewards)


def of_turns(values: Tensor, wrote: Tensor) -> Tensor:
    """For each token the value of its turn, of *values* by episode and turn; the last turn's, and any before the first.

    Args:
        values: A row for each episode and a column for each turn.
        wrote: Whether the policy wrote each token: between two turns it did not.
    """
    begins = wrote & ~torch.cat([torch.zeros_like(wrote[:, :1]), wrote[:, :-1]], 1)
    turns = (begins.cumsum(1) - 1).clamp(0, values.shape[1] - 1)
    return values.gather(1, turns)
