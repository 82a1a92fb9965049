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

    from intercode.report.report import Report
    from intercode.runs.store import StoredRun


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
    pivot: Annotated[
        str | None,
        typer.Option(
            metavar="LINES,COLUMNS", help="Add a table of success by two of model, agent and dataset: agent,dataset."
        ),
    ] = None,
    unlike_gold: Annotated[
        bool,
        typer.Option(
            "--unlike-gold",
            help="Show what was paid and is not the gold, least alike first: weak tasks show.",
        ),
    ] = False,
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
    count_errors_as_failures: options.CountErrors = False,
    i_know_this_is_unsafe: options.Unsafe = None,
    json: options.Json = False,
) -> None:
    """Report on runs: success rates with intervals by turn, difficulty and category, tokens and cost."""
    from intercode.cli.display import tables
    from intercode.datasets.annotations import all_annotations
    from intercode.report import tables as report_tables
    from intercode.report.report import reports
    from intercode.report.summary import with_errors_as_failures
    from intercode.report.tables import make_tables, readable_tables

    left_out = all_annotations().left_out(void=without_void, wrong=bool(without_wrong_golds))
    if paper:
        if out is not None:
            raise UserError("--out is for reports of runs: with --paper use --format markdown > FILE")
        if left_out:
            raise UserError("--without-void and --without-wrong-golds are for reports of runs: leave them out")
        if count_errors_as_failures:
            raise UserError("--count-errors-as-failures is for reports of runs: leave it out")
        _paper(runs, form, parallel, limit, json, verified)
        return
    if unlike_gold:
        found = [run.without(left_out) for run in run_reader.read(runs)]
        _unlike_gold(found, parsing.scoring(scoring), bool(i_know_this_is_unsafe), form, json)
        return
    if verified:
        raise UserError("--verified goes with --paper: verified sets are played like others, by --dataset")
    readable, errors = run_reader.read_readable(runs, outlines=True)
    for error in errors:
        print(f"left out: {error}", file=sys.stderr)
    found = [run.without(left_out) for run in readable]
    if count_errors_as_failures:
        found = [with_errors_as_failures(run) for run in found]
    made = reports(found, parsing.scoring(scoring), seed=seed)
    laid_out = (make_tables if form == "csv" else readable_tables)(made)
    laid_out += [report_tables.pivot(made, *facets, seed=seed)] if (facets := _facets(pivot)) else []
    tables.show(laid_out, form, [each.to_json() for each in made], json)
    if out is not None:
        _write(out, made)
    if form == "table" and not json:
        _say_what_next(made)
    if errors:
        raise typer.Exit(2)  # the caller named what is no run


def _unlike_gold(runs: Sequence[StoredRun], scoring: str | None, unsafe: bool, form: str, json: bool) -> None:
    """Show what was paid in *runs* and is no gold."""
    from intercode.cli.display import tables
    from intercode.report.unlike_gold import make_table, of_runs

    found = of_runs(runs, scoring, unsafe)
    if form == "table" and not json and not found:
        print("all that was paid is the gold")
        return
    tables.show([make_table(found)], form, [each.to_json() for each in found], json)


def _facets(text: str | None) -> list[str]:
    """Return the two facets that `--pivot` names; none where it is not given."""
    from intercode.report.tables import FACETS

    names = {facet.replace(" ", ""): facet for facet in FACETS}
    words = [] if text is None else [word.strip() for word in text.split(",")]
    if words and (len(set(words)) != 2 or len(words) != 2 or not set(words) <= names.keys()):
        raise UserError(f"--pivot takes two different ones of {', '.join(names)}, such as agent,dataset; not {text!r}")
    return [names[word] for word in words]


def _paper(files: Sequence[Path], form: str, parallel: int, limit: int | None, json: bool, verified: bool) -> None:
    """Replay *files*, and show what comes of it beside what was published."""
    from intercode.cli.display import progress_display, tables
    from intercode.report.paper import paper_table, recordings

    found, others = recordings(files)
    for file in others:
        print(f"left out: {file}: recordings are called ic_WORLD_….json or ….json.gz", file=sys.stderr)
    progress = progress_display.choose("agree")
    table = paper_table(found, parallel=parallel, limit=limit, callback=progress, verified=verified)
    tables.show([table.table()], form, table.to_json(), json)
    if form == "table" and not json:
        print(f"\nwhere replay and recording differ: {program_name()} replay {found[0]} --differences 10")


def _write(out: Path, reports: Sequence[Report]) -> None:
    from intercode.report import files

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
