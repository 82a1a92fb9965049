"""The Python world."""

from intercode.envs.python.env import PythonEnv

__all__ = ["PythonEnv"]
