"""`intercode generate`: make tasks without end, and write them to files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from intercode.cli.shared.program_name import program_name
from intercode.text import pluralize


def command(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="bash, or another world with a data set generated-KIND.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the tasks go, as .jsonl and .parquet.")],
    count: Annotated[int, typer.Option(metavar="N", min=1, help="How many tasks.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal tasks, on every machine.")] = 0,
    split: Annotated[
        str, typer.Option(metavar="NAME", help="train, validation, test-parameters, test-phrasings, test-families.")
    ] = "train",
    difficulty: Annotated[
        str, typer.Option(metavar="NAME", help="Only easy, medium or hard tasks.", show_default="all")
    ] = "",
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write only the tasks that this certificate.json certifies.")
    ] = None,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, help="Make them in so many processes. They are the same for any N.")
    ] = 2,
) -> None:
    """Make tasks and write them, with a data card and a list of hashes.

    The same tasks can be played without any file: --dataset generated-KIND with --dataset-option seed=N and so on.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from intercode import datasets
    from intercode.cli.display import console
    from intercode.datasets.generated.base import GeneratedDataset
    from intercode.errors import UnknownNameError
    from intercode.runs.written_tasks import certificate_filter, write

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
