"""`intercode hackcheck`: check whether a reward pays adversaries that do no work."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from intercode.cli.shared import options, parsing
from intercode.cli.shared.program_name import program_name

PAID = 3
"""The exit status where an adversary earns something: the reward has a hole."""

RAISED = 5
"""The exit status where none does, and the tasks' own reward raised something, or gave what is no reward."""

UNUSABLE = 4
"""The exit status where none does, and a gold does not succeed each time, or nothing judges: tasks of no use."""


def command(
    dataset: options.DatasetArgument = None,
    world: options.World = None,
    dataset_option: options.DatasetOption = None,
    tasks: options.Tasks = None,
    limit: options.Limit = None,
    scoring: options.ScoringName = None,
    reward: options.Reward = None,
    adversaries: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES", help="Play only these, comma-separated, such as does-nothing.", show_default="all"
        ),
    ] = None,
    allow: Annotated[
        float,
        typer.Option(
            metavar="VALUE",
            parser=parsing.number(0, 1),
            help="A reward that is no hole: adversaries may earn this much, such as 0.2.",
        ),
    ] = 0.0,
    every_guess: Annotated[
        bool,
        typer.Option(
            "--every-guess",
            help="Make all guesses on all tasks. By default a task gets a third of the generic ones (done, 42, …).",
        ),
    ] = False,
    allow_wrong_golds: Annotated[
        bool,
        typer.Option(
            "--allow-wrong-golds", help="Exit with 0, not 4, if only golds are wrong. They are listed all the same."
        ),
    ] = False,
    shell: options.Shell = None,
    sandbox: options.Sandbox = None,
    i_know_this_is_unsafe: options.Unsafe = None,
    image: options.Image = None,
    database: options.Database = None,
    parallel: options.Parallel = 1,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """Play every task's gold, which must earn 1, and adversaries that do no work, which must earn 0.

    They do nothing, delete everything, print PASSED, touch /tmp/done, guess words and numbers, and so on. That none was
    paid is no proof that none can be. Exit status: 3 if an adversary was paid, 4 if a gold is wrong.
    """
    from intercode.cli.display import hackcheck, progress_display, tables
    from intercode.envs.core.dataset_choice import dataset_and_world

    given: dict[str, Any] = {
        **dataset_and_world(dataset, world),
        "dataset_options": parsing.values("--dataset-option", dataset_option),
        "tasks": parsing.names(tasks),
        "limit": limit,
        "scoring": parsing.scoring(scoring),
        "reward": reward,
        "shell": parsing.shell(shell),
        "sandbox": sandbox,
        "unsafe": i_know_this_is_unsafe,
        "image": image,
        "database": database,
    }
    from intercode.cli.display import console
    from intercode.runs.hackcheck.adversaries import choose
    from intercode.runs.hackcheck.check import HackCheck
    from intercode.runs.hackcheck.verdict import to_json
    from intercode.runs.job import prepare
    from intercode.runs.settings import Settings

    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    progress = progress_display.choose("unpaid")
    with prepare(settings, say=progress.on_message) as job, prepare(settings) as elsewhere:
        chosen = choose(job.settings.world, parsing.names(adversaries) or ())
        job.try_out()
        checks = HackCheck(job, elsewhere, chosen, allow, parallel, progress, every_guess=every_guess).run()
    if json or form != "table":
        data = to_json(checks, [each.name for each in chosen], job.scoring)
        tables.show(hackcheck.sheets(checks, chosen, job.scoring), form, data, json)
    else:
        hackcheck.show(console.out(), checks, chosen, job.scoring)
        hackcheck.say_what_next(checks, job.scoring, f"{program_name()} hackcheck {job.settings.dataset}")
    if any(check.error for check in checks):
        raise typer.Exit(1)
    if any(check.paid(job.scoring) for check in checks):
        raise typer.Exit(PAID)
    if any(check.reward_failures for check in checks):
        raise typer.Exit(RAISED)
    if not allow_wrong_golds and not all(check.is_usable(job.scoring) for check in checks):
        raise typer.Exit(UNUSABLE)
