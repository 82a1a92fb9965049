"""What travels between the parts: frozen values, no behaviour beyond reading them."""

from intercode.types.episodes import Action, ActionKind, InfoDict, Observation, Status, Trajectory, Trial, Turn
from intercode.types.scores import (
    SCORINGS,
    Score,
    Scores,
    Scoring,
    StepReward,
    leading_reward,
    reward_name,
    scores_as_dict,
    shown_rewards,
)
from intercode.types.tasks import DEFAULT_WORLD, NO_CRITERIA, Criteria, KnownIssue, Task, TaskView

__all__ = [
    "DEFAULT_WORLD",
    "NO_CRITERIA",
    "SCORINGS",
    "Action",
    "ActionKind",
    "Criteria",
    "InfoDict",
    "KnownIssue",
    "Observation",
    "Score",
    "Scores",
    "Scoring",
    "Status",
    "StepReward",
    "Task",
    "TaskView",
    "Trajectory",
    "Trial",
    "Turn",
    "leading_reward",
    "reward_name",
    "scores_as_dict",
    "shown_rewards",
]
