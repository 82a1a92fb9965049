"""The world of Harbor's tasks: a shell in an environment that the task brings.

All that is its own is in this folder; `spec` is what others may know of it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intercode.worlds.harbor.env import HarborEnv

__all__ = ["HarborEnv"]


def __getattr__(name: str) -> Any:
    """Return the environment, which is loaded when it is first asked for: who wants the `spec` alone pays no more."""
    if name != "HarborEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from intercode.worlds.harbor.env import HarborEnv

    return HarborEnv
