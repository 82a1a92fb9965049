"""The SQL world."""

from intercode.envs.sql.env import SqlEnv

__all__ = ["SqlEnv"]
