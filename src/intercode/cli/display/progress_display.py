"""The display that suits where we are."""

from __future__ import annotations

import sys

from intercode.cli.display.console import quiet
from intercode.cli.display.plain import PlainProgress, QuietProgress
from intercode.cli.display.progress import ProgressCounter


def choose(good: str = "succeeded", *, interactive: bool = False) -> ProgressCounter:
    """Live on a terminal, lines elsewhere, quiet in continuous integration and where a person plays here."""
    if quiet() or interactive:
        return QuietProgress(good)
    if not sys.stderr.isatty():
        return PlainProgress(good)
    from intercode.cli.display.live import LiveProgress

    return LiveProgress(good)
