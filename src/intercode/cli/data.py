"""`intercode data`: fetch, list, prepare and share data sets."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from intercode.cli.shared import options, parsing
from intercode.errors import UserError
from intercode_sandbox.util import paths
from intercode_sandbox.util.text import pluralize

commands = typer.Typer(help="Fetch, list, prepare and share data sets.", no_args_is_help=True)


@commands.command("get")
def get(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME", help="Data sets, such as nl2bash; `intercode data list` lists them.")
    ],
    json: options.Json = False,
) -> None:
    """Fetch published data sets from their sources.

    What is there already is only checked.

    Example: intercode data get nl2bash spider
    """
    from intercode.datasets import sources

    folders = {name: str(sources.get(name, progress=_say)) for name in names}
    if json:
        from intercode.cli.display import console

        console.print_json(folders)
        return
    for name, folder in folders.items():
        print(f"{name} is in {folder}. Look at it: intercode tasks {name}")


@commands.command("list")
def show(form: options.Form = "table", json: options.Json = False) -> None:
    """List the published data sets, and say which are here."""
    from intercode.cli.display import console, tables
    from intercode.datasets import sources
    from intercode.report.table import Column, Table

    found = sources.available()
    columns = (Column("name"), Column("here"), Column("MB", "number"), Column("licence"), Column("what"))
    rows = [
        (each.name, "yes" if each.present else "no", each.size / 1e6, each.licence, each.description) for each in found
    ]
    sheet = Table("published data sets", columns, tuple(rows))
    if json or form != "table":
        names = ("name", "description", "licence", "size", "present")
        data = [{name: getattr(each, name) for name in names} | {"folder": str(each.folder or "")} for each in found]
        tables.show_rows(sheet, "json" if json else form, data)
        return
    console.out().print(tables.table(sheet, unbroken=("name", "here", "licence")))
    missing = [each.command for each in found if not each.present]
    if missing:
        print(f"\nfetch one: {missing[0]}")


@commands.command("prepare")
def prepare(
    dataset: Annotated[
        str,
        typer.Argument(metavar="NAME|PATH", help="A data set (nl2bash), a subset (nl2bash/fs2), or a file of tasks."),
    ],
    tasks: options.Tasks = None,
    limit: options.Limit = None,
    dataset_option: options.DatasetOption = None,
    sandbox: options.Sandbox = None,
    image: options.Image = None,
    database: options.Database = None,
    parallel: options.Parallel = 1,
    json: options.Json = False,
) -> None:
    """Build images, compute golds and say what can be played.

    Databases are loaded too. Tasks with a verifier of their own are tried out: their solution has to succeed, and
    doing nothing must not. Runs then begin at full speed, and leave out the tasks that failed. What is there already
    is only looked up, so the same command goes on where it was stopped; what failed is tried again.
    """
    from intercode.cli.display import console, progress_display
    from intercode.env.dataset_choice import dataset_and_world
    from intercode.runs.job import prepare as prepare_job
    from intercode.runs.preparation import Preparation
    from intercode.runs.settings import Settings

    given: dict[str, Any] = {
        **dataset_and_world(dataset, None),
        "tasks": parsing.names(tasks),
        "limit": limit,
        "dataset_options": parsing.values("--dataset-option", dataset_option),
        "sandbox": sandbox,
        "image": image,
        "database": database,
    }
    progress = progress_display.choose("ready")
    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    with prepare_job(settings, say=progress.on_message) as job:
        found = Preparation(job, parallel, progress).run()
    errors = [each for each in found if each.error]
    golds = sum(each.golds for each in found)
    if json:
        each = {one.task: {"seconds": one.seconds, "golds": one.golds, "error": one.error} for one in found}
        failed = {one.task: one.error for one in errors}
        console.print_json({"tasks": len(found), "golds": golds, "errors": failed, "verdicts": each})
    else:
        for one in errors:
            print(f"{one.task}: {one.error}")
        print(
            f"{pluralize(len(found) - len(errors), 'task')} ready, {pluralize(golds, 'gold')} kept in {paths.cache()}"
        )
        if not golds and not errors and job.settings.image:
            print(f"no golds are kept for the image {job.settings.image}: each run computes them, if its world has any")
    if errors:
        raise typer.Exit(1)


@commands.command("push")
def push(
    dataset: Annotated[
        str, typer.Argument(metavar="NAME|PATH", help="A data set (spider), a subset (nl2bash/fs2), or a task folder.")
    ],
    repository: Annotated[
        str | None,
        typer.Argument(
            metavar="OWNER/NAME", help="The repository at the Hugging Face hub; without it only --out is written."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A folder to write the files to, whether or not they are uploaded."),
    ] = None,
    license: Annotated[
        str, typer.Option(metavar="ID", help="The licence, as the hub calls it, such as mit or cc-by-4.0.")
    ] = "",
    public: Annotated[bool, typer.Option("--public", help="Make a new repository public, not private.")] = False,
    dataset_option: options.DatasetOption = None,
    json: options.Json = False,
) -> None:
    """Share a data set, golds included, at the Hugging Face hub.

    Data sets there are named hf:OWNER/NAME, and such a folder hf:./FOLDER.
    """
    from intercode.audit.dataset_import.folder import draft
    from intercode.datasets.hugging_face import hub
    from intercode.datasets.hugging_face.push import write

    if repository is None and out is None:
        raise UserError("say where to: a repository OWNER/NAME at the Hugging Face hub, or --out FOLDER")
    if repository is not None:
        hub.require_token(repository)
    with TemporaryDirectory() as temporary, draft(out or Path(temporary, "dataset")) as folder:
        found = write(
            dataset, folder, options=parsing.values("--dataset-option", dataset_option) or {}, license=license
        )
        place = "" if repository is None else hub.upload(folder, repository, public=public)
    name = f"hf:{repository}" if repository else f"hf:{out if out and out.is_absolute() else f'./{out}'}"
    if json:
        from intercode.cli.display import console

        console.print_json({"dataset": name, "tasks": len(found), "url": place, "folder": str(out or "")})
        return
    print(f"wrote {pluralize(len(found), 'task')} with their golds to {place or out}")
    print(f"play them: intercode run --dataset {name}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
