"""`intercode doctor`: check whether this machine can run sandboxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from intercode.cli.shared import options
from intercode.cli.shared.program import program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercode.sandboxes.bubblewrap.doctor import Check

MARKS = {True: ("ok", "green"), False: ("missing", "bold red"), None: ("note", "yellow")}


def command(json: options.Json = False) -> None:
    """Check whether this machine can run sandboxes, and say what helps."""
    from intercode.cli.display import console
    from intercode.sandboxes.bubblewrap.doctor import checks

    found = checks()
    if json:
        names = ("name", "ok", "detail", "fix")
        console.print_json([{name: getattr(check, name) for name in names} for check in found])
    else:
        _print(found)
    if any(check.ok is False for check in found):
        raise typer.Exit(1)


def _print(checks: Sequence[Check]) -> None:
    from rich.table import Table
    from rich.text import Text

    from intercode.cli.display import console

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        table.add_row(Text(*MARKS[check.ok]), Text(check.name), Text(check.detail))
        if check.fix:
            table.add_row("", "", Text(check.fix, style="cyan"))
    console.out().print(table)
    if any(check.ok is False for check in checks):
        print("\nwhat is missing stops the embedded sandbox; mend it and look again: intercode doctor")
    else:
        print(f"\nthe embedded sandbox can run here. Begin with: {program()} run")
