"""`intercode compare`: compare two runs on the same tasks, and test the difference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options, parsing, run_reader
from intercode.cli.shared.program_name import program_name
from intercode.errors import UserError

if TYPE_CHECKING:
    from rich.console import Console

    from intercode.report.comparison import RunComparison
    from intercode.runs.store import StoredRun


def command(
    first: Annotated[Path, typer.Argument(metavar="A", help="A run directory, such as runs/first.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another run directory, on the same tasks.")],
    scoring: options.ScoringName = None,
    form: options.Form = "table",
    tasks: Annotated[
        int, typer.Option(metavar="N", parser=parsing.whole(0), help="List up to N tasks won and N lost.")
    ] = 5,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the bootstrap intervals.")] = 0,
    count_errors_as_failures: options.CountErrors = False,
    json: options.Json = False,
) -> None:
    """Compare two runs on the same tasks: the difference, its interval and its significance."""
    from intercode.cli.display import console, tables
    from intercode.report.comparison import compare_runs
    from intercode.report.summary import with_errors_as_failures
    from intercode.report.tables_comparison import make_tables as laid_out
    from intercode.runs import cli_hints

    if first.resolve() == second.resolve():
        raise UserError(f"{first} and {second} are the same run: name two")
    before, after = run_reader.read([first, second], outlines=True)
    if count_errors_as_failures:
        before, after = with_errors_as_failures(before), with_errors_as_failures(after)
    chosen: str = parsing.scoring(scoring) or before.manifest.leading_reward
    found = compare_runs(before, after, chosen, seed=seed)
    data = {"a": str(first), "b": str(second), "scoring": chosen, **found.to_json()}
    tables.show(laid_out(found, before, after, chosen), form, data, json)
    if form == "table" and not json:
        _show_tasks(console.out(), found, before, after, tasks)
        seen = cli_hints.describe_command("view", before.path, after.path, program=program_name())
        print(f"\nside by side in a browser: {seen}")


def _show_tasks(out: Console, found: RunComparison, before: StoredRun, after: StoredRun, most: int) -> None:
    """Tasks won and lost, each with the commands that show it in both runs."""
    from rich.text import Text

    from intercode.cli.display.console import escape_control_characters
    from intercode.runs import cli_hints

    for verdict, style in (("won", "green"), ("lost", "red")):
        tasks = found.tasks(verdict)  # type: ignore[arg-type]
        if tasks and most:
            out.print(Text(f"\n{verdict} by {after.path}: {len(tasks)}" + _first(most, tasks), style=f"bold {style}"))
        for task in tasks[:most]:
            out.print(
                Text(
                    escape_control_characters("  " + cli_hints.show_command(before.path, task, program=program_name()))
                ),
                soft_wrap=True,
            )
            out.print(
                Text(
                    escape_control_characters("  " + cli_hints.show_command(after.path, task, program=program_name()))
                ),
                soft_wrap=True,
            )


def _first(most: int, tasks: list[str]) -> str:
    return f", the first {most}" if len(tasks) > most else ""
