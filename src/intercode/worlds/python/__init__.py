"""The world of Python: code in an interpreter that stays.

All that is its own is in this folder; `spec` is what others may know of it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intercode.worlds.python.env import PythonEnv

__all__ = ["PythonEnv"]


def __getattr__(name: str) -> Any:
    """Return the environment, which is loaded when it is first asked for: who wants the `spec` alone pays no more."""
    if name != "PythonEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from intercode.worlds.python.env import PythonEnv

    return PythonEnv
