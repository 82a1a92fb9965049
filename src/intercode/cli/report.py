"""`intercode report`: report success rates with intervals, tokens and cost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options, parsing, run_reader
from intercode.cli.shared.program_name import program_name
from intercode.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercode.runs.report.report import Report


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Run directories; with --paper, recordings or folders of them."),
    ],
    paper: Annotated[
        bool, typer.Option("--paper", help="Rebuild the paper's table: execute recordings again under both scorings.")
    ] = False,
    verified: Annotated[
        bool, typer.Option("--verified", help="With --paper: add the same episodes on the verified sets.")
    ] = False,
    scoring: options.ScoringName = None,
    form: options.Form = "table",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Also write report.md, report.json, a csv file for each table, and plots to this folder.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the bootstrap intervals.")] = 0,
    parallel: options.Parallel = 1,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=parsing.whole(1), help="With --paper: only the first N episodes of each file."
        ),
    ] = None,
    without_void: options.WithoutVoid = False,
    without_wrong_golds: options.WithoutWrongGolds = None,
    json: options.Json = False,
) -> None:
    """Report on runs: success rates with intervals by turn, difficulty and category, tokens and cost."""
    from intercode.cli.display import tables
    from intercode.datasets.gold_issues import all_issues
    from intercode.runs.report.report import reports
    from intercode.runs.report.tables import make_tables as laid_out

    left_out = all_issues().left_out(void=without_void, wrong=bool(without_wrong_golds))
    if paper:
        if out is not None:
            raise UserError("--out is for reports of runs: with --paper use --format markdown > FILE")
        if left_out:
            raise UserError("--without-void and --without-wrong-golds are for reports of runs: leave them out")
        _paper(runs, form, parallel, limit, json, verified)
        return
    if verified:
        raise UserError("--verified goes with --paper: verified sets are played like others, by --dataset")
    found = [run.without(left_out) for run in run_reader.read(runs, outlines=True)]
    made = reports(found, parsing.scoring(scoring), seed=seed)
    tables.show(laid_out(made), form, [each.to_json() for each in made], json)
    if out is not None:
        _write(out, made)
    if form == "table" and not json:
        _say_what_next(made)


def _paper(files: Sequence[Path], form: str, parallel: int, limit: int | None, json: bool, verified: bool) -> None:
    """Replay *files*, and show what comes of it beside what was published."""
    from intercode.cli.display import progress_display, tables
    from intercode.runs.report.paper import paper_table, recordings

    found, others = recordings(files)
    for file in others:
        print(f"left out: {file}: recordings are called ic_WORLD_….json or ….json.gz", file=sys.stderr)
    progress = progress_display.choose("agree")
    table = paper_table(found, parallel=parallel, limit=limit, callback=progress, verified=verified)
    tables.show([table.table()], form, table.to_json(), json)
    if form == "table" and not json:
        print(f"\nwhere replay and recording differ: {program_name()} replay {found[0]} --differences 10")


def _write(out: Path, reports: Sequence[Report]) -> None:
    from intercode.runs.report import files

    for line in files.write(out, reports):
        print(line, file=sys.stderr)


def _say_what_next(reports: Sequence[Report]) -> None:
    from intercode.runs import cli_hints

    paths = [each.run.path for each in reports]
    if len(paths) > 1:
        compare = cli_hints.describe_command("compare", *paths[:2], program=program_name())
        print(f"\ncompare two on the same tasks: {compare}")
    else:
        print(
            f"\nwhat goes wrong, turn by turn: {cli_hints.describe_command('errors', *paths, program=program_name())}"
        )
    print(f"look at them in a browser: {cli_hints.describe_command('view', *paths, program=program_name())}")
