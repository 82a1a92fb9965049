"""Sandboxes: sessions in which commands run, with snapshots of their files and a list of what has changed.

A sandbox starts sessions from an image; `sandbox.py` and `session.py` are the promise that all of them keep.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intercode_sandbox.docker import DockerSandbox
    from intercode_sandbox.embedded import EmbeddedSandbox
    from intercode_sandbox.images import Image
    from intercode_sandbox.limits import Limits
    from intercode_sandbox.local import LocalSandbox
    from intercode_sandbox.results import Change, Entry, Result
    from intercode_sandbox.sandbox import Sandbox
    from intercode_sandbox.scripted import ScriptedSandbox
    from intercode_sandbox.session import Process, Session, Snapshot

__version__ = "0.1.0"
__all__ = [
    "Change",
    "DockerSandbox",
    "EmbeddedSandbox",
    "Entry",
    "Image",
    "Limits",
    "LocalSandbox",
    "Process",
    "Result",
    "Sandbox",
    "ScriptedSandbox",
    "Session",
    "Snapshot",
    "__version__",
]

_MODULES = {
    "docker": ("DockerSandbox",),
    "embedded": ("EmbeddedSandbox",),
    "images": ("Image",),
    "limits": ("Limits",),
    "local": ("LocalSandbox",),
    "results": ("Change", "Entry", "Result"),
    "sandbox": ("Sandbox",),
    "scripted": ("ScriptedSandbox",),
    "session": ("Process", "Session", "Snapshot"),
}
"""What each module gives. It is imported at first use: some sandboxes need Linux, and all take time to load."""


def __getattr__(name: str) -> Any:
    for module, given in _MODULES.items():
        if name in given:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
