"""`intercode show`: show a run's results, or one episode turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options
from intercode.cli.shared.program_name import program_name
from intercode.errors import UnknownNameError

if TYPE_CHECKING:
    from intercode.runs.store import StoredRun
    from intercode.types import Trajectory


def command(
    run: options.RunPath,
    episode: Annotated[
        str | None, typer.Argument(metavar="EPISODE", help="A task id or its ending; append :1 for the second repeat.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Show long observations in full.")] = False,
    json: options.Json = False,
) -> None:
    """Show the results of a run, or one episode turn by turn."""
    from intercode.runs import store

    found = store.read(run, outlines=episode is None)
    if episode is None:
        _show_run(found, json)
    else:
        _show_episode(found, find(found, episode), json, whole)


def find(run: StoredRun, wanted: str) -> Trajectory:
    """The episode of *run* that *wanted* names. Raises UnknownNameError."""
    task, colon, number = wanted.rpartition(":")
    if not (colon and number.isdecimal()):
        task, number = wanted, ""
    fitting = [each for each in run.episodes if each.task.id == task or each.task.id.endswith(f"/{task}")]
    fitting = [each for each in fitting if not number or each.repeat == int(number)]
    if not fitting:
        raise UnknownNameError(f"no episode {wanted!r} in {run.path}; `intercode show {run.path}` lists them")
    if len({each.task.id for each in fitting}) > 1:
        ids = ", ".join(sorted({each.task.id for each in fitting}))
        raise UnknownNameError(f"{wanted!r} may be any of {ids}: say which")
    return min(fitting, key=lambda each: each.repeat)


def _show_run(run: StoredRun, json: bool) -> None:
    from intercode.cli.display import console, results
    from intercode.runs import cli_hints
    from intercode.runs.report import report

    if json:
        console.print_json(report.to_json(run))
        return
    out = console.out()
    results.show_episodes(out, run)
    print()
    results.show(out, run)
    if run.missing:
        go_on = cli_hints.resume_command(run.path, run.manifest.settings, program=program_name())
        print(f"\nplay what is missing: {go_on}")
    if run.episodes:
        print(f"\nlook at one: {cli_hints.show_command(run.path, results.example(run), program=program_name())}")


def _show_episode(run: StoredRun, episode: Trajectory, json: bool, whole: bool) -> None:
    from intercode.cli.display import console, trajectory
    from intercode.runs import cli_hints
    from intercode.trajectories import to_json

    if json:
        console.print_json(to_json(episode))
        return
    trajectory.show(console.out(), episode, whole=whole)
    again = cli_hints.replay_command(run.path, run.manifest.settings, episode.task.id, program=program_name())
    print(f"\nplay it again as it was: {again}")
