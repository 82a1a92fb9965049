"""The world of Harbor's tasks."""

from intercode.envs.harbor.env import HarborEnv

__all__ = ["HarborEnv"]
