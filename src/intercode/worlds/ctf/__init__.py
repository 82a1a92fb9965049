"""The world of capture the flag: a shell, and a flag to hand in.

All that is its own is in this folder; `spec` is what others may know of it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intercode.worlds.ctf.env import CtfEnv

__all__ = ["CtfEnv"]


def __getattr__(name: str) -> Any:
    """Return the environment, which is loaded when it is first asked for: who wants the `spec` alone pays no more."""
    if name != "CtfEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from intercode.worlds.ctf.env import CtfEnv

    return CtfEnv
