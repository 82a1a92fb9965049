"""The Bash world."""

from intercode.envs.bash.env import BashEnv

__all__ = ["BashEnv"]
