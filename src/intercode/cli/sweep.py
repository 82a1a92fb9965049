"""`intercode sweep`: play every run that a file plans, and report on them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options, parsing
from intercode.cli.shared.program_name import program_name
from intercode.errors import BudgetExceededError, InterruptedRunError
from intercode_sandbox.util.text import failure

if TYPE_CHECKING:
    from intercode.runs.store import StoredRun
    from intercode.runs.sweep import PlannedRun, Sweep


def command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A TOML file with the tables [run], [grid] and [[runs]], and with out and parallel."
        ),
    ],
    parallel: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=parsing.whole(1), help="Episodes to run at once.", show_default="what the file says"
        ),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only list the runs and their progress.")] = False,
    reward: options.Reward = None,
    i_know_this_is_unsafe: options.Unsafe = None,
    keep_going: options.KeepGoing = False,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """Play every run that a file plans, and report on all of them.

    Run the same command again to resume. docs/how-to/experiments.md shows such a file.
    """
    from intercode.runs import sweep

    found = sweep.read(file)
    if plan:
        _show_plan(found, form, json)
        return
    runs, said = [], set[str]()
    for number, planned in enumerate(found.runs, 1):
        print(f"run {number} of {len(found.runs)}: {planned.name}", file=sys.stderr, flush=True)
        runs.append(_play(found, planned, file, parallel, bool(i_know_this_is_unsafe), keep_going, reward, said))
    _report(runs, form, json)
    if any(episode.status == "error" for run in runs for episode in run.episodes):
        print(f"some episodes ended in an error; play them again: {program_name()} sweep {file}", file=sys.stderr)
        raise typer.Exit(1)


def _play(
    sweep: Sweep,
    planned: PlannedRun,
    file: Path,
    parallel: int | None,
    unsafe: bool,
    keep_going: bool,
    reward: str | None,
    said: set[str],
) -> StoredRun:
    """Return one run, begun or gone on with; what is finished is only read."""
    from intercode.cli.run import play
    from intercode.runs import store
    from intercode.runs.resume import is_run, settings_of

    path = sweep.path(planned)
    given = {**planned.given, **({"unsafe": True} if unsafe else {}), **({"reward": reward} if reward else {})}
    if is_run(path):
        settings_of(path, given)
        run = store.read(path, outlines=True)
        if not run.missing:
            return run
    try:
        return play(given, path, True, parallel or sweep.parallel, keep_going=keep_going, said=said)
    except InterruptedRunError as error:
        raise InterruptedRunError(failure("stopped", resume=f"{program_name()} sweep {file}")) from error
    except BudgetExceededError as error:
        fix = f"give it more in {file}"
        raise BudgetExceededError(
            failure(str(error).partition("\n")[0], fix=fix, resume=f"{program_name()} sweep {file}")
        ) from error


def _show_plan(sweep: Sweep, form: str, json: bool) -> None:
    """A line for each run, without playing anything."""
    from intercode.cli.display import tables
    from intercode.report.table import Cell, Column, Table

    rows: list[tuple[Cell, ...]] = []
    for planned in sweep.runs:
        done, of = _progress(sweep.path(planned))
        rows.append((planned.name, str(sweep.path(planned)), done, of))
    columns = (Column("run"), Column("folder"), Column("finished", "count"), Column("episodes", "count"))
    note = "how many episodes a run has is known once it is begun" if any(row[3] is None for row in rows) else ""
    plan = Table("plan", columns, tuple(rows), note)
    tables.show([plan], form, plan.to_json(), json)


def _progress(path: Path) -> tuple[int, int | None]:
    from intercode.runs import store
    from intercode.runs.resume import is_run

    if not is_run(path):
        return 0, None
    run = store.read(path, outlines=True)
    return run.manifest.episodes - run.missing, run.manifest.episodes


def _report(runs: list[StoredRun], form: str, json: bool) -> None:
    from intercode.cli.display import tables
    from intercode.report.report import reports
    from intercode.report.tables import overview
    from intercode.runs import cli_hints

    made = reports(runs)
    tables.show(overview(made), form, [each.to_json() for each in made], json)
    if form == "table" and not json:
        hint = cli_hints.describe_command("report", *(run.path for run in runs), program=program_name())
        print(f"\nall tables and plots: {hint} --out DIR")
