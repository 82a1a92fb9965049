"""Golds that a person should read, by rule, with their tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from intercode.cli.display.console import escape_control_characters
from intercode.types.gold_warnings import RULES, GoldWarning
from intercode_sandbox.util.text import pluralize

HEADING = "golds worth reading, for what they did when they ran (hints, no verdict; {} says more):"

MOST = 8
"""Tasks that are named before the rest is counted."""


def show(console: Console, warnings: Iterable[GoldWarning], more: str) -> None:
    """Print *warnings*, if there are any; *more* is where the rest stands."""
    found: dict[str, list[str]] = {}
    for warning in warnings:
        found.setdefault(warning.rule, []).append(warning.task)
    lines = [
        f"  {pluralize(len(found[rule]), 'gold')}: {RULES[rule]}: {join_names(found[rule])}"
        for rule in RULES
        if rule in found
    ]
    for line in [HEADING.format(more), *lines] if lines else []:
        console.print(Text(escape_control_characters(line), style="yellow"), soft_wrap=True)


def join_names(names: Sequence[str], most: int = MOST) -> str:
    """Write the first *most* of *names*, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
