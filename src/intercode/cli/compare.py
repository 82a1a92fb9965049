"""`intercode compare`: compare two runs on the same tasks: what is the second worth?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options, reading
from intercode.cli.shared.program import program

if TYPE_CHECKING:
    from rich.console import Console

    from intercode.runs.report.compare import Contrast
    from intercode.runs.store import StoredRun
    from intercode.types import Scoring


def command(
    first: Annotated[Path, typer.Argument(metavar="A", help="A run's directory.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another's, on the same tasks.")],
    scoring: options.ScoringName = None,
    form: options.Form = "table",
    tasks: Annotated[int, typer.Option(metavar="N", min=0, help="Name so many tasks won, and so many lost.")] = 5,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the bootstrap that intervals come from.")] = 0,
    json: options.Json = False,
) -> None:
    """Compare two runs on the same tasks: the difference, its interval, and whether it can be chance."""
    from intercode.cli.display import console, sheets
    from intercode.runs.report.compare import contrast
    from intercode.runs.report.sheets_compare import sheets as laid_out

    options.one_of("--format", form, sheets.FORMATS)
    before, after = reading.read([first, second], outlines=True)
    chosen: Scoring = options.scoring(scoring) or before.manifest.settings.scoring or "exact"
    found = contrast(before, after, chosen, seed=seed)
    data = {"a": str(first), "b": str(second), "scoring": chosen, **found.to_json()}
    sheets.show(laid_out(found, before, after, chosen), form, data, json)
    if form == "table" and not json:
        _show_tasks(console.out(), found, before, after, tasks)


def _show_tasks(out: Console, found: Contrast, before: StoredRun, after: StoredRun, most: int) -> None:
    """Tasks won and lost, each with the commands that show it in both runs."""
    from rich.text import Text

    from intercode.cli.display.console import visible
    from intercode.runs import commands

    for verdict, style in (("won", "green"), ("lost", "red")):
        tasks = found.tasks(verdict)  # type: ignore[arg-type]
        if tasks and most:
            out.print(Text(f"\n{verdict} by {after.path}: {len(tasks)}" + _first(most, tasks), style=f"bold {style}"))
        for task in tasks[:most]:
            out.print(Text(visible("  " + commands.show(before.path, task, program=program()))), soft_wrap=True)
            out.print(Text(visible("  " + commands.show(after.path, task, program=program()))), soft_wrap=True)


def _first(most: int, tasks: list[str]) -> str:
    return f", the first {most}" if len(tasks) > most else ""
