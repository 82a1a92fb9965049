"""`intercode replay`: execute recorded episodes again, and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options, parsing
from intercode.errors import UserError

if TYPE_CHECKING:
    from intercode.audit.replay.comparison import Comparison


def command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN|FILE", help="Run directories, or recordings of the published benchmark (.json, .json.gz)."
        ),
    ],
    scoring: Annotated[
        str | None,
        typer.Option(
            metavar="paper|exact", help="Recordings: the scoring to compare, paper or exact.", show_default="paper"
        ),
    ] = None,
    reward: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE.py",
            help="Runs: judge by another reward, such as ./reward.py.",
            show_default="the run's own",
        ),
    ] = None,
    image: Annotated[
        str | None,
        typer.Option(
            metavar="IMAGE",
            help="The files of the sandbox, as for `intercode run`.",
            show_default="the run's own; recordings: debian",
        ),
    ] = None,
    sandbox: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="What isolates the code, as for `intercode run`.", show_default="the run's own"
        ),
    ] = None,
    i_know_this_is_unsafe: options.Unsafe = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|URL",
            help="What SQL runs on: sqlite, mysql (started here), or a server: mysql://user:password@host:port.",
            show_default="the run's own; recordings: mysql where installed",
        ),
    ] = None,
    clean: Annotated[
        bool,
        typer.Option(
            "--clean", help="Recorded SQL: without the tables that earlier recorded episodes had left behind."
        ),
    ] = False,
    reuse_containers: Annotated[
        bool,
        typer.Option(
            "--reuse-containers",
            help="Recorded Bash: as published, play all episodes of a file in two containers, reset by git.",
        ),
    ] = False,
    file_system: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=parsing.whole(1, 4),
            help="Recorded Bash: play on file system 1, 2, 3 or 4.",
            show_default="what they ran on",
        ),
    ] = None,
    tasks: options.Tasks = None,
    stable: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Only the tasks that this JSON file lists as stable.")
    ] = None,
    limit: options.Limit = None,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Prove that runs can be reproduced: write a certificate into each; exit with 1 if one cannot.",
        ),
    ] = False,
    parallel: options.Parallel = 1,
    keep_going: options.KeepGoing = False,
    differences: Annotated[
        int, typer.Option(metavar="N", parser=parsing.whole(0), help="Show the first N differences of each file.")
    ] = 3,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """Execute recorded episodes again and report how well observations and rewards agree."""
    from intercode.audit.replay.certificate import certify
    from intercode.audit.replay.replayer import is_stored_run, replay
    from intercode.audit.replay.source import ReplayOptions
    from intercode.cli.display import agreement, console, progress_display, tables

    if verify and (tasks or limit or stable):
        raise UserError("--verify certifies whole runs: leave out --tasks, --limit and --stable")
    if verify and reward:
        raise UserError("--verify certifies what a run's own reward gave: leave out --reward")
    if absent := [str(path) for path in files if not path.exists()]:
        raise UserError(f"{absent[0]}: there is no such run or file")
    if verify and (strange := [str(path) for path in files if not is_stored_run(path)]):
        raise UserError(f"--verify is for our own runs, and {', '.join(strange)} is none")
    replay_options = ReplayOptions(
        scoring="exact" if parsing.scoring(scoring) == "exact" else "paper",
        reward=reward or "",
        image=image or "",
        sandbox=sandbox or "",
        database=database or "",
        clean=clean,
        reuse_containers=reuse_containers,
        unsafe=bool(i_know_this_is_unsafe),
        file_system=file_system,
        tasks=parsing.names(tasks) or (),
        stable=stable,
        limit=limit,
    )
    compared = replay(
        files, replay_options, parallel=parallel, callback=progress_display.choose("agree"), keep_going=keep_going
    )
    certificates = [certify(each) for each in compared] if verify else []
    certified = {each.path.parent for each in certificates if each.holds}
    if json or form != "table":
        extra = {"certificates": [{"path": str(each.path), **each.data} for each in certificates]} if verify else {}
        tables.show([agreement.sheet(compared)], form, agreement.to_json(compared, differences) | extra, json)
    else:
        agreement.show(console.out(), compared, differences)
        for each in certificates:
            console.out().print(agreement.verdict(each))
        _say_what_next(compared, differences, certified, all(each.holds for each in certificates))
    if any(each.agreement.errors for each in compared) or not all(each.holds for each in certificates):
        raise typer.Exit(1)


def _say_what_next(compared: list[Comparison], differences: int, certified: set[Path], all_hold: bool) -> None:
    """Print what to type to see more, where something differs and no certificate forgives it.

    *all_hold* says so of the certificates, where there are any.
    """
    for each in compared:
        if each.differences and each.path not in certified:
            episode, _ = each.differences[0]
            print(
                f"\nlook closer: intercode replay {each.path} --tasks {episode.task} --differences {differences + 10}"
            )
            return
    episodes = [episode for each in compared for episode in each.episodes]
    if all_hold and episodes and all(episode.agrees for episode in episodes):
        print("\neverything agrees")
