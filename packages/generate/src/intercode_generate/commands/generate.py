"""`intercode generate`: generate any number of tasks, and write them to files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from intercode.cli.shared.program_name import program_name
from intercode_sandbox.util.text import pluralize


def command(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="What the tasks are about: bash, sql or python; or NAME of an installed data set generated-NAME.",
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Where to write: tasks gives tasks.jsonl and tasks.parquet.")
    ],
    count: Annotated[int, typer.Option(metavar="N", min=1, help="How many tasks to make.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same tasks, on every machine.")] = 0,
    split: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Which split: train, validation, test-parameters, test-phrasings or test-families."
        ),
    ] = "train",
    difficulty: Annotated[
        str, typer.Option(metavar="NAME", help="Make only easy, medium or hard tasks.", show_default="all")
    ] = "",
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write only tasks that this certificate certifies (see `intercode certify`)."
        ),
    ] = None,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, help="Processes that make them; the tasks are the same for any number.")
    ] = 2,
) -> None:
    """Generate any number of tasks, and write them with a data card and a list of hashes.

    Example: intercode generate sql --count 200 --out tasks

    The same tasks can be played without a file: intercode run --dataset generated-sql --dataset-option count=200
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from intercode import datasets
    from intercode.cli.display import console
    from intercode.errors import UnknownNameError
    from intercode_generate.dataset import GeneratedDataset
    from intercode_generate.written_tasks import certificate_filter, write

    name = f"generated-{kind}"
    if name not in datasets.names():
        kinds = [each.removeprefix("generated-") for each in datasets.names() if each.startswith("generated-")]
        raise UnknownNameError(f"no tasks can be generated for {kind!r}; there are: {', '.join(kinds)}")
    dataset = datasets.load(name, count=count, seed=seed, split=split, difficulty=difficulty)
    assert isinstance(dataset, GeneratedDataset)
    keep = certificate_filter(certificate, dataset)
    columns = (TextColumn("generating"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console.err(), transient=True) as progress:
        bar = progress.add_task("", total=count)
        step = partial(progress.update, bar)
        found = write(dataset, out, keep=keep, step=lambda done: step(completed=done), processes=processes)
    print(f"{pluralize(found.tasks, 'task')} of {pluralize(len(found.families), 'family', 'families')}")
    for path in found.files:
        print(f"written: {path}")
    options = f"--dataset-option count={count} --dataset-option seed={seed} --dataset-option split={split}"
    print(f"Play them: {program_name()} run --dataset {name} {options}")
    print(f"Certify them: {program_name()} certify {name} {options}")
