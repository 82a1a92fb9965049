"""The world of capture the flag."""

from intercode.envs.ctf.env import CtfEnv

__all__ = ["CtfEnv"]
