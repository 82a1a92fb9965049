"""Names in Inspect's registry: `intercode/NAME`, also in a checkout, which Inspect does not take for a package."""

from __future__ import annotations

from inspect_ai._util.registry import registry_name


def qualify(name: str) -> str:
    """Return what to register *name* as, so that it is found as `intercode/NAME`."""
    return name if "/" in registry_name(qualify, name) else f"intercode/{name}"
