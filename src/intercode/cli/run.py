"""`intercode run`: let an agent play tasks, and store every episode."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intercode.cli.shared import env_file, options, parsing, run_folder
from intercode.cli.shared.program_name import program_name
from intercode.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercode.cli.display.progress import ProgressCounter
    from intercode.runs.callback import ProgressCallback
    from intercode.runs.job import Job
    from intercode.runs.processes.parent import Launcher
    from intercode.runs.settings import Settings
    from intercode.runs.store import RunStore, StoredRun

MODELS_AGENT = "react"
"""Who plays where a model is named and no agent."""


def command(
    dataset: options.Dataset = None,
    world: options.World = None,
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            "-a",
            metavar="NAME|FILE.py",
            autocompletion=options.plugin_names("agents"),
            help="Who plays, such as tool-use; or a Python file with an agent of your own.",
            show_default="oracle, which plays the golds; react with --model",
        ),
    ] = None,
    agent_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the agent, such as dialogue_limit=20. Repeatable."),
    ] = None,
    model: options.ModelName = None,
    base_url: options.BaseUrl = None,
    model_option: options.ModelOption = None,
    prompt: options.Prompt = None,
    parser: options.ParserName = None,
    demos: options.Demos = None,
    refine: options.Refine = None,
    logprobs: options.Logprobs = None,
    max_cost: options.MaxCost = None,
    max_tokens: options.MaxTokens = None,
    cache: options.Cache = None,
    dataset_option: options.DatasetOption = None,
    tasks: options.Tasks = None,
    without_wrong_golds: options.WithoutWrongGolds = None,
    limit: options.Limit = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            "--repeat",
            "--epochs",
            metavar="N",
            parser=parsing.whole(1),
            help="Play each task N times.",
            show_default="1",
        ),
    ] = None,
    seed: options.Seed = None,
    turns: options.Turns = None,
    episode_seconds: options.EpisodeSeconds = None,
    scoring: options.ScoringName = None,
    reward: options.Reward = None,
    step_reward: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A reward for each action: none, or progress (towards the gold's result).",
            show_default="none",
        ),
    ] = None,
    shell: options.Shell = None,
    sandbox: options.Sandbox = None,
    i_know_this_is_unsafe: options.Unsafe = None,
    image: options.Image = None,
    database: options.Database = None,
    handicap: options.Handicap = None,
    attempts: options.Attempts = None,
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
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    log: Annotated[
        list[str] | None,
        typer.Option(
            metavar="wandb|mlflow|tensorboard|FILE.py",
            autocompletion=options.plugin_names("loggers"),
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
    from intercode.envs.core.dataset_choice import dataset_and_world

    given = {
        **dataset_and_world(dataset, world),
        "agent": agent,
        "agent_options": parsing.agent_options(
            agent_option, prompt=prompt, parser=parser, demos=demos, refine=None if refine is None else str(refine)
        ),
        "model": model,
        "base_url": base_url,
        "model_options": parsing.pairs("--model-option", model_option),
        "logprobs": logprobs,
        "max_cost": max_cost,
        "max_tokens": max_tokens,
        "cache": cache,
        "dataset_options": parsing.values("--dataset-option", dataset_option),
        "tasks": parsing.names(tasks),
        "without_wrong_golds": without_wrong_golds,
        "limit": limit,
        "repeat": repeat,
        "seed": seed,
        "turns": turns,
        "episode_seconds": episode_seconds,
        "scoring": parsing.scoring(scoring),
        "reward": reward,
        "step_reward": parsing.one_of("--step-reward", step_reward, ("none", "progress")),
        "shell": parsing.shell(shell),
        "sandbox": sandbox,
        "unsafe": i_know_this_is_unsafe,
        "image": image,
        "database": database,
        "handicap": handicap,
        "attempts": attempts,
    }
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
    _report(run, "json" if json else form)
    if any(episode.status == "error" for episode in run.episodes):
        raise typer.Exit(1)


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
) -> StoredRun:
    """Play what is *given*, or with *resume* what the run in *out* still lacks. Returns the run as stored."""
    from intercode import registry
    from intercode.cli.display import progress_display
    from intercode.runs import store
    from intercode.runs.job import prepare
    from intercode.runs.runner import Runner
    from intercode.runs.settings import Settings

    settings = _settings(given, out, resume)
    if settings.model:
        env_file.load()
    for name in loggers:
        registry.find("loggers", name)  # before a run's folder is made, which would be in the next one's way
    progress = progress_display.choose(interactive=registry.find("agents", settings.agent).interactive, silent=quiet)
    with prepare(settings, say=progress.on_message) as job:
        job.try_out()
        if settings.agent == Settings().agent and "agent" not in given and not resume and not quiet:
            progress.on_message(
                "no --model is named, so the agent oracle plays the golds: it shows that all works here"
            )
        with _store(job, out or run_folder.new(settings), resume, progress, accept_changed_image) as open_store:
            progress.scoring = job.scoring
            callback = _with_loggers(loggers, job, open_store, progress)
            with _launcher(ray, job, parallel) as (launcher, default):
                Runner(job, open_store, parallel, callback, keep_going, processes or default, launcher).run()
    return store.read(open_store.path, outlines=True)


@contextmanager
def _launcher(ray: str | None, job: Job, parallel: int) -> Iterator[tuple[Launcher | None, int]]:
    """What starts worker processes elsewhere (None: they are here), and how many play best."""
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
    """*progress*, and the loggers of these *names* besides."""
    if not names:
        return progress
    from intercode.runs.callback import ProgressCallbacks
    from intercode.runs.logging_callback import LoggingCallback

    loggers = (LoggingCallback(name, store, job.scoring, progress.on_message) for name in names)
    return ProgressCallbacks(*loggers, progress)


def _settings(given: dict[str, Any], out: Path | None, resume: bool) -> Settings:
    """What is asked for; on `--resume` what was asked for when the run was begun."""
    from intercode.runs.resume import is_run, settings_of
    from intercode.runs.settings import Settings

    if resume and out is None:
        raise UserError("--resume goes on with a run: name it with --out")
    if out is None or not resume or (given and not is_run(out)):  # one command line serves to begin and to go on
        return Settings(**{**({"agent": MODELS_AGENT} if "model" in given else {}), **given})
    return settings_of(out, given)


def _store(job: Job, out: Path, resume: bool, progress: ProgressCounter, accept_changed_image: bool) -> RunStore:
    from intercode.runs.resume import is_run, reopen
    from intercode.runs.store import RunStore

    if not (resume and is_run(out)):
        if job.warning:
            progress.on_message(job.warning)
        return RunStore.create(out, job.manifest)
    store = reopen(out, job, accept_changed_image=accept_changed_image)
    if store.note:
        progress.on_message(store.note)
    return store


def _report(run: StoredRun, form: str) -> None:
    from intercode.cli.display import console, results, tables
    from intercode.runs import cli_hints
    from intercode.runs.report import report
    from intercode.runs.report.tables import overview

    if form != "table":
        tables.show(overview(report.reports([run])), form, report.to_json(run) if form == "json" else None)
        return
    results.show(console.out(), run)
    if any(episode.status == "error" for episode in run.episodes):
        again = cli_hints.resume_command(run.path, run.manifest.settings, program=program_name())
        print(f"\nplay what ended in an error again: {again}")
    print(f"\nlook at one: {cli_hints.show_command(run.path, results.example(run), program=program_name())}")
    print(f"in a browser: {cli_hints.describe_command('view', run.path, program=program_name())}")
