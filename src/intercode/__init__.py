"""InterCode: interactive coding as a standard reinforcement-learning environment."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intercode.env.async_env import AsyncEnv
    from intercode.env.make import make

__version__ = "0.1.0"
__all__ = ["AsyncEnv", "__version__", "make"]

_PLACES = {"AsyncEnv": "intercode.env.async_env", "make": "intercode.env.make"}
"""What is imported when it is first asked for."""


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})


if "gymnasium" in sys.modules:  # else not worth the half second that loading it takes: `import intercode.env` does
    import_module("intercode.env")
