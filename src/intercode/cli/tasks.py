"""`intercode tasks`: list the tasks of a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options, parsing
from intercode.cli.shared.program_name import program_name
from intercode_sandbox.util.text import pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercode.report.table import Table as Sheet
    from intercode.types import Task


def command(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET", help="A data set (nl2bash), a subset (nl2bash/fs2), or a file of tasks (my.jsonl)."
        ),
    ] = "starter",
    dataset_option: options.DatasetOption = None,
    tasks: options.Tasks = None,
    limit: options.Limit = None,
    gold: Annotated[bool, typer.Option("--gold", help="Also show the golds: the reference solutions.")] = False,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """List the tasks of a data set."""
    from intercode import datasets
    from intercode.cli.display import console, tables
    from intercode.runs import cli_hints
    from intercode.runs.factories import load
    from intercode.runs.settings import Settings
    from intercode.runs.task_selection import select

    found = load(Settings(dataset, parsing.values("--dataset-option", dataset_option) or {}))
    chosen = select(found, parsing.names(tasks) or (), limit)
    if json or form == "json":
        _print_json(chosen, gold)
    elif form != "table":
        tables.show_rows(_sheet(chosen, gold), form, None)
    else:
        _print_table(chosen, gold)
        _say_what_does_not_count(chosen)
        _say_what_is_known(chosen)
        for id, why in found.left_out.items():
            print(f"\nnot in it: {id}: {why}")
        for note in found.notes:
            print(f"\n{note}")
        play = cli_hints.play_command(chosen[0].id, dataset, dataset_option or (), program=program_name())
        print(f"\n{pluralize(len(chosen), 'task')}. Play one: {play}")
        console.out().print(f"More data sets: {', '.join(datasets.names())}, or a file of your own")


def _sheet(tasks: Sequence[Task], gold: bool) -> Sheet:
    """Return all that the table shows, with requests and golds in full."""
    from intercode.report.table import Column
    from intercode.report.table import Table as Sheet

    columns = tuple(map(Column, ("task", "difficulty", "category", "query", *(["gold"] if gold else []))))
    rows = [
        (task.id, task.difficulty, task.category, task.query, *(["\n".join(task.golds)] if gold else []))
        for task in tasks
    ]
    return Sheet("tasks", columns, tuple(rows))


def _print_table(tasks: Sequence[Task], gold: bool) -> None:
    """Of a long request the title, and golds marked where there are several."""
    from dataclasses import replace

    from intercode.cli.display import console, tables

    sheet = _sheet(tasks, gold)
    golds = [["\n  or: ".join(task.golds)] if gold else [] for task in tasks]
    rows = tuple(
        (*row[:3], _first_line(task.query), *texts) for row, task, texts in zip(sheet.rows, tasks, golds, strict=True)
    )
    console.out().print(tables.table(replace(sheet, rows=rows), unbroken=("task",)))


def _say_what_does_not_count(tasks: Sequence[Task]) -> None:
    """The tasks that their data set leaves out of scores, by the reasons that it gives."""
    reasons: dict[str, list[str]] = {}
    for task in tasks:
        if task.excluded:
            reasons.setdefault(task.excluded, []).append(task.id)
    for reason, ids in reasons.items():
        print(f"\nplayed but not scored, {reason}: {', '.join(ids)}")


def _say_what_is_known(tasks: Sequence[Task]) -> None:
    """Golds with a known issue, and what is judged of single tasks only, each with the tasks' ids."""
    found: dict[str, list[str]] = {}
    for task in tasks:
        if task.known_issue:
            found.setdefault(f"the gold is known to be {task.known_issue}", []).append(task.id)
        if reworded := task.extra.get("reworded"):
            found.setdefault(f"the request was reworded: {reworded}", []).append(task.id)
        for name in task.criteria.names:
            found.setdefault(f"exact has a rule of its own here, {name}", []).append(task.id)
    for what, ids in found.items():
        print(f"\n{what}: {', '.join(ids)}")


def _first_line(query: str) -> str:
    """Return all of a short request; the title of one that goes on for lines."""
    first, _, rest = query.strip().partition("\n")
    return f"{first} …" if rest else first


def _print_json(tasks: Sequence[Task], gold: bool) -> None:
    from intercode.cli.display import console

    golds = ["gold", "alternative_golds"] if gold else []
    names = ("id", "query", "world", "category", "difficulty", "excluded", "known_issue", *golds)
    console.print_json(
        [{**{name: getattr(task, name) for name in names}, "criteria": task.criteria.names} for task in tasks]
    )
