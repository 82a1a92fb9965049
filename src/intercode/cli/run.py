"""`intercode run`: let an agent play tasks, and store every episode."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intercode.cli.shared import env_file, options, run_folder, setting_options
from intercode.cli.shared.program_name import program_name
from intercode.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from intercode.cli.display.progress import ProgressCounter
    from intercode.runs.callback import ProgressCallback
    from intercode.runs.job import Job
    from intercode.runs.processes.parent import Launcher
    from intercode.runs.settings import Settings
    from intercode.runs.store import RunStore, StoredRun

MODELS_AGENT = "react"
"""Who plays where a model is named and no agent."""


def play_command(
    given: dict[str, Any],
    prompt: options.Prompt = None,
    parser: options.ParserName = None,
    demos: options.Demos = None,
    refine: options.Refine = None,
    parallel: options.Parallel = 1,
    processes: options.Processes = None,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Play on a Ray cluster: auto (one that runs here), local (started here) or HOST:PORT.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="The folder to store the run in, such as runs/first.",
            show_default="runs/DATE-TIME-DATASET-AGENT",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Resume the run in --out: play what is missing, with the run's own settings."),
    ] = False,
    accept_changed_image: Annotated[
        bool,
        typer.Option(
            "--accept-changed-image", help="With --resume: go on although the image has changed. The run notes it."
        ),
    ] = False,
    keep_going: options.KeepGoing = False,
    count_errors_as_failures: options.CountErrors = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    log: Annotated[
        list[str] | None,
        typer.Option(
            metavar="wandb|mlflow|tensorboard|FILE.py",
            autocompletion=setting_options.plugin_names("loggers"),
            help="Also log each episode and the figures there. Repeatable.",
        ),
    ] = None,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """Let an agent play tasks, and store every episode.

    Without --agent and --model the oracle plays the golds of the starter set.

    Example: intercode run --dataset nl2bash --model openai/gpt-4o-mini -p 16
    """
    from intercode.env.dataset_choice import dataset_and_world

    shortcuts = {"prompt": prompt, "parser": parser, "demos": demos, "refine": None if refine is None else str(refine)}
    named = {name: value for name, value in shortcuts.items() if value is not None}
    given |= dataset_and_world(given.get("dataset"), given.get("world"))
    if options_of_agent := given.get("agent_options", {}) | named:
        given["agent_options"] = options_of_agent
    run = play(
        {name: value for name, value in given.items() if value is not None},
        out,
        resume,
        parallel,
        processes=processes,
        ray=ray,
        keep_going=keep_going,
        accept_changed_image=accept_changed_image,
        loggers=log or (),
        quiet=quiet,
    )
    _report(run, "json" if json else form, count_errors=count_errors_as_failures)
    if any(episode.status == "error" for episode in run.episodes):
        raise typer.Exit(1)


command = setting_options.on_command(play_command, after={"model_options": ("prompt", "parser", "demos", "refine")})


def play(
    given: dict[str, Any],
    out: Path | None,
    resume: bool,
    parallel: int,
    *,
    processes: int | None = None,
    ray: str | None = None,
    keep_going: bool = False,
    accept_changed_image: bool = False,
    loggers: Sequence[str] = (),
    quiet: bool = False,
    said: set[str] | None = None,
) -> StoredRun:
    """Play what is *given*, or with *resume* what the run in *out* still lacks. Return the run as stored.

    Notices that are in *said* are not printed again; those that are printed are added to it.
    """
    from intercode import registry
    from intercode.cli.display import progress_display
    from intercode.runs import store
    from intercode.runs.job import prepare
    from intercode.runs.runner import Runner
    from intercode.runs.settings import Settings

    settings = _settings(given, out, resume)
    if settings.model:
        env_file.load(settings.model_options.get("key_env", ""))
    for name in loggers:
        registry.find("loggers", name)  # before a run's folder is made, which would be in the next one's way
    progress = progress_display.choose(interactive=registry.find("agents", settings.agent).interactive, silent=quiet)
    notify = _notify_once(progress, set() if said is None else said)
    with prepare(settings, say=progress.on_message, playable_only=not resume) as job:
        job.try_out()
        if settings.agent == Settings().agent and "agent" not in given and not resume and not quiet:
            notify("No --model is named. The agent oracle plays the golds, to show that all works here.")
        with _store(job, out or run_folder.new(settings), resume, notify, accept_changed_image) as open_store:
            progress.scoring = job.scoring
            progress.decider = f"the model {settings.model}" if settings.model else progress.decider
            callback = _with_loggers(loggers, job, open_store, progress)
            with _launcher(ray, job, parallel) as (launcher, default):
                Runner(job, open_store, parallel, callback, keep_going, processes or default, launcher).run()
    return store.read(open_store.path, outlines=True)


def _notify_once(progress: ProgressCounter, said: set[str]) -> Callable[[str], None]:
    """Return what prints a notice, unless it is empty or among those *said*."""

    def notify(notice: str) -> None:
        if notice and notice not in said:
            said.add(notice)
            progress.on_message(notice)

    return notify


@contextmanager
def _launcher(ray: str | None, job: Job, parallel: int) -> Iterator[tuple[Launcher | None, int]]:
    """Provide what starts worker processes elsewhere (None: they are here), and how many play best."""
    if ray is None:
        from intercode.runs.runner import default_processes

        yield None, default_processes(job, parallel)
        return
    try:
        from intercode.integrations.ray import RayCluster
    except ImportError as error:
        raise UserError("--ray needs Ray: pip install 'intercode-env[ray]'") from error
    with RayCluster(ray) as cluster:
        yield cluster.launcher(job.manifest), cluster.default_processes(parallel)


def _with_loggers(names: Sequence[str], job: Job, store: RunStore, progress: ProgressCounter) -> ProgressCallback:
    """Return *progress*, and the loggers of these *names* besides."""
    if not names:
        return progress
    from intercode.report.logging_callback import LoggingCallback
    from intercode.runs.callback import ProgressCallbacks

    loggers = (LoggingCallback(name, store, job.scoring, progress.on_message) for name in names)
    return ProgressCallbacks(*loggers, progress)


def _settings(given: dict[str, Any], out: Path | None, resume: bool) -> Settings:
    """Return what is asked for; on `--resume` what was asked for when the run was begun."""
    from intercode.runs.resume import is_run, settings_of
    from intercode.runs.settings import Settings

    if resume and out is None:
        raise UserError("--resume goes on with a run: name it with --out")
    if out is None or not resume or (given and not is_run(out)):  # one command line serves to begin and to go on
        return Settings(**{**({"agent": MODELS_AGENT} if "model" in given else {}), **given})
    return settings_of(out, given)


def _store(job: Job, out: Path, resume: bool, notify: Callable[[str], None], accept_changed_image: bool) -> RunStore:
    from intercode.runs.resume import is_run, reopen
    from intercode.runs.store import RunStore

    if not (resume and is_run(out)):
        notify(job.warning)
        return RunStore.create(out, job.manifest)
    store = reopen(out, job, accept_changed_image=accept_changed_image)
    notify(store.note)
    return store


def _report(run: StoredRun, form: str, *, count_errors: bool) -> None:
    from intercode.cli.display import console, results, tables
    from intercode.report import report
    from intercode.report.summary import with_errors_as_failures
    from intercode.report.tables import overview
    from intercode.runs import cli_hints

    run = with_errors_as_failures(run) if count_errors else run
    if form != "table":
        tables.show(overview(report.reports([run])), form, report.to_json(run) if form == "json" else None)
        return
    results.show(console.out(), run)
    if any(episode.status == "error" for episode in run.episodes):
        again = cli_hints.resume_command(run.path, run.manifest.settings, program=program_name())
        print(f"\nplay what ended in an error again: {again}")
    print(f"\nlook at one: {cli_hints.show_command(run.path, results.example(run), program=program_name())}")
    print(f"in a browser: {cli_hints.describe_command('view', run.path, program=program_name())}")
