"""The world of software engineering: a shell in a repository.

All that is its own is in this folder; `spec` is what others may know of it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intercode.worlds.swe.env import SweEnv

__all__ = ["SweEnv"]


def __getattr__(name: str) -> Any:
    """Return the environment, which is loaded when it is first asked for: who wants the `spec` alone pays no more."""
    if name != "SweEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from intercode.worlds.swe.env import SweEnv

    return SweEnv
