"""`intercode import`: import a data set: run its golds, keep what can be scored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options
from intercode.cli.shared.program_name import program_name, quote_path
from intercode.errors import UserError
from intercode.types import DEFAULT_WORLD
from intercode_sandbox.util.linux import default_sandbox
from intercode_sandbox.util.text import pluralize

if TYPE_CHECKING:
    from intercode.audit.dataset_import.finding import GoldFinding
    from intercode.runs.settings import Settings
    from intercode.types import Task


SHOWN = 80
"""Characters of a gold that a report tells."""


def command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A csv, tsv, json, jsonl or parquet file, or OWNER/NAME at the Hugging Face hub."
        ),
    ],
    query: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the requests.")] = "query",
    gold: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the gold answers, as code.")] = "gold",
    world: Annotated[
        str, typer.Option(metavar="NAME", help="The world to run them in: bash, sql, python, ctf, swe.")
    ] = DEFAULT_WORLD,
    image: Annotated[str, typer.Option(metavar="IMAGE", help="The files of the sandbox, such as debian.")] = "host",
    files: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Files to put into the sandbox: FOLDER/srv/x becomes /srv/x.")
    ] = None,
    databases: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="SQL: the folder of the databases (.sqlite or .sql files).")
    ] = None,
    split: Annotated[
        str, typer.Option(metavar="NAME", help="The split of a Hugging Face data set, such as test.")
    ] = "",
    limit: options.Limit = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Keep tasks that cannot be scored, too.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The folder to create.", show_default="the file's name")
    ] = None,
    sandbox: options.Sandbox = None,
    i_know_this_is_unsafe: options.Unsafe = None,
    parallel: options.Parallel = 1,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """Import a data set: run every gold, report what it does, and keep the tasks that can be scored."""
    from intercode.audit.dataset_import import folder, records
    from intercode.audit.dataset_import.finding import DroppedRecord, to_json
    from intercode.cli.display import console, tables
    from intercode.cli.display.dataset_import import sheets, show
    from intercode.datasets.databases import databases_in
    from intercode.runs.settings import Settings

    target = out or Path(Path(source.partition(":")[0]).stem)
    found, unread = records.read(source, split=split)
    there = databases_in(databases) if databases else ()
    tasks, dropped = records.tasks_of(
        found[:limit], source, name=target.name, query=query, gold=gold, world=world, databases=there
    )
    dropped = [*unread, *dropped]
    with folder.draft(target) as draft:
        folder.fill(draft, world=world, image=image, source=source, files=files, databases=databases)
        folder.write_tasks(draft, tasks)
        settings = Settings(
            dataset=str(draft),
            dataset_options={"name": target.name},
            sandbox=sandbox or default_sandbox(),
            unsafe=bool(i_know_this_is_unsafe),
            scoring="exact",
        )
        with folder.name_originals(draft, target, files=files, databases=databases):
            findings = _examine(settings, parallel) if tasks else ()
        good = [task for task, each in zip(tasks, findings, strict=True) if keep_all or each.is_good]
        dropped += [
            DroppedRecord(each.task, each.why_dropped, _detail(each, task))
            for task, each in zip(tasks, findings, strict=True)
            if not each.is_good
        ]
        report = to_json(findings, dropped)
        folder.write_tasks(draft, good)
        folder.write_report(draft, report)
        if json or form != "table":
            tables.show(sheets(findings, dropped), "json" if json else form, report | {"folder": str(target)})
        else:
            show(console.out(), findings, dropped)
        if not good:
            more = "" if not tasks else "; --keep-all keeps tasks that cannot be scored"
            raise UserError(f"no task was kept, so {target} was not made{more}")
    if form == "table" and not json:
        _say_what_next(target, good)


def _examine(settings: Settings, parallel: int) -> tuple[GoldFinding, ...]:
    from intercode.audit.dataset_import.gold_check import GoldCheck
    from intercode.cli.display import progress_display
    from intercode.runs.job import prepare

    progress = progress_display.choose("kept")
    with prepare(settings, say=progress.on_message) as job:
        job.try_out()
        return GoldCheck(job, parallel, progress).run()


def _detail(finding: GoldFinding, task: Task) -> str:
    """Return what was found, and the beginning of the gold."""
    names = (finding.network, finding.missing, finding.clock, finding.terminal)
    detail = next(filter(None, (finding.error, *map(", ".join, names))), "") or _describe_score(finding)
    gold = " ".join((task.gold or "")[:SHOWN].split())
    return f"{detail}; the gold is: {gold}"


def _describe_score(finding: GoldFinding) -> str:
    if finding.timed_out:
        return "stopped when its time was over"
    status = "" if finding.exit_code is None else f", exit status {finding.exit_code}"
    return f"it earns {finding.value:g}{status}"


def _say_what_next(target: Path, tasks: list[Task]) -> None:
    place = quote_path(target)
    print(f"\nmade {place} with {pluralize(len(tasks), 'task')}; fidelity.json in it tells of all records")
    print(f"let the golds play:    {program_name()} run --world {place}")
    print(f"try to cheat it:       {program_name()} hackcheck --world {place}")
