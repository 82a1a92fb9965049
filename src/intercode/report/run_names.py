"""What runs are called beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def run_names(paths: Sequence[Path]) -> list[str]:
    """For each of *paths* as much of its end as tells it from the others: `run`, or `a/run` and `b/run`."""
    found = [path.resolve() for path in paths]
    longest = max((len(path.parts) for path in found), default=0)
    for parts in range(1, longest):
        ends = ["/".join(path.parts[-parts:]) for path in found]
        if len(set(ends)) == len(set(found)):
            return ends
    return [str(path) for path in found]
