"""The display that suits where we are."""

from __future__ import annotations

import sys

from intercode.cli.display.console import quiet
from intercode.cli.display.plain import PlainWatcher, QuietWatcher
from intercode.cli.display.progress import Counter


def choose(good: str = "succeeded", *, interactive: bool = False) -> Counter:
    """Live on a terminal, lines elsewhere, quiet in continuous integration and where a person plays here."""
    if quiet() or interactive:
        return QuietWatcher(good)
    if not sys.stderr.isatty():
        return PlainWatcher(good)
    from intercode.cli.display.live import LiveWatcher

    return LiveWatcher(good)
