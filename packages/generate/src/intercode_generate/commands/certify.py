"""`intercode certify`: prove that a data set's tasks can be solved, and not cheated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intercode.cli.shared import options, parsing

NOT_ALL = 3
"""The exit status where some tasks are not certified."""


def command(
    dataset: options.DatasetArgument = None,
    world: options.World = None,
    dataset_option: options.DatasetOption = None,
    tasks: options.Tasks = None,
    limit: options.Limit = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the certificate goes.")] = Path("certificate.json"),
    reward: options.Reward = None,
    sandbox: options.Sandbox = None,
    i_know_this_is_unsafe: options.Unsafe = None,
    image: options.Image = None,
    database: options.Database = None,
    parallel: options.Parallel = 2,
) -> None:
    """Play golds, second golds, near misses and all of hackcheck's adversaries, and write certificate.json.

    A task is certified if its gold scores 1 twice and in a fresh sandbox, its second golds score 1, its near misses
    score less, and no adversary is paid. Second golds are the columns second_gold and alternative_golds, near misses
    the column near_misses; where there are none, mutants of the gold are played and reported.
    """
    from intercode.env.dataset_choice import dataset_and_world

    given: dict[str, Any] = {
        **dataset_and_world(dataset, world),
        "dataset_options": parsing.values("--dataset-option", dataset_option),
        "tasks": parsing.names(tasks),
        "limit": limit,
        "scoring": "exact",
        "reward": reward,
        "sandbox": sandbox,
        "unsafe": i_know_this_is_unsafe,
        "image": image,
        "database": database,
    }
    from intercode.cli.display import console, progress_display
    from intercode.runs.settings import Settings
    from intercode.util.atomic_write import check_writable
    from intercode_generate.certify.run import certify
    from intercode_generate.certify.verdict import write
    from intercode_generate.commands import certificate_table

    check_writable(out)
    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    found = certify(settings, parallel=parallel, callback=progress_display.choose("certified"))
    certificate_table.show(console.out(), found)
    write(found, out)
    print(f"written: {out}")
    if any(verdict.error for verdict in found.verdicts):
        raise typer.Exit(1)
    if found.rejected:
        raise typer.Exit(NOT_ALL)
