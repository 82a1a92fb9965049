"""TRL: its GRPO trainer on our worlds, by `environment_factory` or by `rollout_func` (docs/how-to/trl.md)."""

from intercode.integrations.trl.environment import EnvironmentFactory, environment
from intercode.integrations.trl.rollouts import Rollouts, rollout_func
from intercode.integrations.trl.rows import to_hf_dataset

__all__ = ["EnvironmentFactory", "Rollouts", "environment", "rollout_func", "to_hf_dataset"]
