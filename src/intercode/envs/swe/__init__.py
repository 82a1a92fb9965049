"""The world of software engineering."""

from intercode.envs.swe.env import SweEnv

__all__ = ["SweEnv"]
