"""`intercode show`: show a run's results, or one episode turn by turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options, parsing, run_reader
from intercode.cli.shared.program_name import program_name
from intercode.errors import UnknownNameError, UserError
from intercode_sandbox.util.text import pluralize

if TYPE_CHECKING:
    from intercode.runs.store import StoredRun
    from intercode.types import Trajectory


SORTS = ("episode", "status", "success", "exact", "paper", "turns", "seconds", "tokens", "cost")
"""What `--sort` takes; a `-` before it turns the order."""


def command(
    run: options.RunPath,
    episode: Annotated[
        str | None,
        typer.Argument(
            metavar="EPISODE",
            help="A task id or its ending (count-january; :1 is the second repeat), or a number in the list.",
        ),
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only episodes that failed or ended in an error.")] = False,
    succeeded: Annotated[bool, typer.Option("--succeeded", help="Only episodes that succeeded.")] = False,
    disagree: Annotated[
        bool, typer.Option("--disagree", help="Only episodes on which the two scorings disagree.")
    ] = False,
    status: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only episodes that ended in this way, such as submitted or error."),
    ] = None,
    grep: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Only episodes with TEXT in query, actions, observations or thoughts."),
    ] = None,
    sort: Annotated[
        str | None, typer.Option(metavar="COLUMN", help=f"Sort by {', '.join(SORTS)}; -COLUMN reverses.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="With EPISODE: also show each reply of the model as it came.")
    ] = False,
    whole: Annotated[bool, typer.Option("--whole", help="Do not shorten long observations.")] = False,
    count_errors_as_failures: options.CountErrors = False,
    pager: Annotated[bool, typer.Option("--pager/--no-pager", help="Use a pager for long output.")] = True,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """Show the results of a run, or one episode turn by turn."""
    from intercode.cli.display.pager import page_output
    from intercode.report.summary import with_errors_as_failures
    from intercode.runs import store

    chosen = EpisodeFilter(failed, succeeded, disagree, status, grep, sort)
    if raw and episode is None:
        raise UserError("--raw is for one episode: name it")
    if episode is not None and chosen != EpisodeFilter():
        raise UserError(
            "--failed, --succeeded, --disagree, --status, --grep and --sort choose among episodes: "
            "leave out the one named"
        )
    if episode is not None and form not in ("table", "json"):
        raise UserError(f"--format {form} is for a list of episodes: one of them is shown as text, or by --json")
    form = "json" if json else form
    run_reader.refuse_folder_of_runs(run)
    found = store.read(run, outlines=episode is None and grep is None)
    if count_errors_as_failures:
        found = with_errors_as_failures(found)
    with page_output(enabled=pager and form == "table"):
        if episode is None:
            _show_run(found, chosen, form)
        else:
            _show_episode(found, find(found, episode), form == "json", whole, raw)


@dataclass(frozen=True, slots=True)
class EpisodeFilter:
    """Which episodes are listed, and in what order."""

    failed: bool = False
    succeeded: bool = False
    disagree: bool = False
    status: str | None = None
    grep: str | None = None
    sort: str | None = None

    def __post_init__(self) -> None:
        parsing.one_of("--status", self.status, ("submitted", "truncated", "skipped", "refused", "error"))
        parsing.one_of("--sort", self.sort and self.sort.removeprefix("-"), SORTS)

    def select_episodes(self, run: StoredRun) -> list[Trajectory]:
        """Return those of *run* that are wanted, sorted."""
        scoring: str = run.manifest.leading_reward
        found = [each for each in run.episodes if self._wants(each, scoring)]
        if self.sort is None:
            return found
        name = self.sort.removeprefix("-")
        return sorted(found, key=lambda each: _rank(each, name, scoring), reverse=self.sort.startswith("-"))

    def _wants(self, episode: Trajectory, scoring: str) -> bool:
        return (
            not (self.failed and episode.success(scoring))
            and (not self.succeeded or bool(episode.success(scoring)))
            and not (self.disagree and len({episode.success("exact"), episode.success("paper")} - {None}) < 2)
            and self.status in (None, episode.status)
            and (self.grep is None or _holds(episode, self.grep.casefold()))
        )


def _rank(episode: Trajectory, name: str, scoring: str) -> tuple[float, str]:
    """Return what is not there comes first; what is equal is in the order of names."""
    numbers: dict[str, float | None] = {
        "success": episode.success(scoring),
        "exact": episode.value("exact"),
        "paper": episode.value("paper"),
        "turns": len(episode.turns),
        "seconds": episode.seconds,
        "tokens": episode.usage.tokens,
        "cost": episode.usage.cost,
    }
    value = numbers.get(name, 0.0)
    return -1.0 if value is None else float(value), episode.status if name == "status" else episode.task.id


def _holds(episode: Trajectory, text: str) -> bool:
    texts = [episode.task.query]
    for turn in episode.turns:
        texts += (turn.action.text, turn.observation.text, turn.thought)
    return any(text in each.casefold() for each in texts)


def find(run: StoredRun, episode_name: str) -> Trajectory:
    """Return the episode of *run* that *episode_name* names.

    Raises:
        UnknownNameError: If there is no such episode.
    """
    if episode_name.isdecimal() and 1 <= int(episode_name) <= len(run.episodes):
        tasks = {each.task.id for each in run.episodes}
        if not any(name == episode_name or name.endswith(f"/{episode_name}") for name in tasks):
            return run.episodes[int(episode_name) - 1]
    task, colon, number = episode_name.rpartition(":")
    if not (colon and number.isdecimal()):
        task, number = episode_name, ""
    fitting = [each for each in run.episodes if each.task.id == task or each.task.id.endswith(f"/{task}")]
    fitting = [each for each in fitting if not number or each.repeat == int(number)]
    if not fitting:
        raise UnknownNameError(f"no episode {episode_name!r} in {run.path}; `intercode show {run.path}` lists them")
    if len({each.task.id for each in fitting}) > 1:
        ids = ", ".join(sorted({each.task.id for each in fitting}))
        raise UnknownNameError(f"{episode_name!r} may be any of {ids}: say which")
    return min(fitting, key=lambda each: each.repeat)


def _show_run(run: StoredRun, selection: EpisodeFilter, form: str) -> None:
    from intercode.cli.display import console, results, tables
    from intercode.report import report
    from intercode.runs import cli_hints

    chosen = selection.select_episodes(run)
    if form == "json":
        console.print_json(
            report.to_json(replace(run, episodes=tuple(chosen)) if selection != EpisodeFilter() else run)
        )
        return
    if form != "table":
        tables.show_rows(results.episodes(run, chosen), form, None)
        return
    out = console.out()
    results.show_episodes(out, run, chosen)
    print()
    if selection != EpisodeFilter():
        print(f"{len(chosen)} of {pluralize(len(run.episodes), 'episode')}; the figures below are of all")
    results.show(out, run)
    if run.missing:
        go_on = cli_hints.resume_command(run.path, run.manifest.settings, program=program_name())
        print(f"\nplay what is missing: {go_on}")
    if run.episodes:
        print(f"\nlook at one: {cli_hints.show_command(run.path, results.example(run), program=program_name())}")
        print(f"in a browser: {cli_hints.describe_command('view', run.path, program=program_name())}")


def _show_episode(run: StoredRun, episode: Trajectory, json: bool, whole: bool, raw: bool) -> None:
    from intercode.cli.display import console, trajectory
    from intercode.runs import cli_hints

    if json:
        console.print_json(episode.as_dict())
        return
    trajectory.show(console.out(), episode, whole=whole, raw=raw)
    again = cli_hints.replay_command(run.path, run.manifest.settings, episode.task.id, program=program_name())
    print(f"\nplay it again as it was: {again}")
    if len(repeats := [each for each in run.episodes if each.task.id == episode.task.id]) > 1:
        later = [each for each in repeats if each.repeat > episode.repeat]
        another = min(later or repeats, key=lambda each: each.repeat)
        word = cli_hints.show_command(run.path, f"{another.task.id}:{another.repeat}", program=program_name())
        print(
            f"this is repeat {episode.repeat} of the task, which was played {len(repeats)} times; see another: {word}"
        )
