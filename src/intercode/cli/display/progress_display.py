"""The display that suits where we are."""

from __future__ import annotations

import sys

from intercode.cli.display.console import quiet
from intercode.cli.display.plain import PlainProgress, QuietProgress
from intercode.cli.display.progress import ProgressCounter


def choose(good: str = "succeeded", *, interactive: bool = False, silent: bool = False) -> ProgressCounter:
    """Live on a terminal, lines elsewhere; quiet where that is wanted, in continuous integration, and at play."""
    if quiet() or interactive or silent:
        return QuietProgress(good)
    if not sys.stderr.isatty():
        return PlainProgress(good)
    from intercode.cli.display.live import LiveProgress

    return LiveProgress(good)
