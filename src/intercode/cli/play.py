"""`intercode play`: play a task yourself."""

from __future__ import annotations

import sys
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intercode.cli.shared import options, parsing
from intercode.cli.shared.program_name import program_name
from intercode.errors import UserError
from intercode_sandbox.util.text import pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercode.runs.job import Job
    from intercode.types import Trajectory


def command(
    task: Annotated[
        str | None,
        typer.Argument(
            metavar="TASK",
            help="A task: its id, the end of its id (count-january), or its number.",
            show_default="the first",
        ),
    ] = None,
    dataset: options.Dataset = None,
    dataset_option: options.DatasetOption = None,
    world: options.World = None,
    turns: Annotated[
        int,
        typer.Option(
            "--turns", "--max-turns", metavar="N", parser=parsing.whole(1), help="Maximum actions per episode."
        ),
    ] = 50,
    scoring: options.ScoringName = None,
    reward: options.Reward = None,
    shell: options.Shell = None,
    sandbox: options.Sandbox = None,
    i_know_this_is_unsafe: options.Unsafe = None,
    image: options.Image = None,
    network: options.Network = None,
    verifier_network: options.VerifierNetwork = None,
    database: options.Database = None,
    handicap: options.Handicap = None,
    attempts: options.Attempts = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the episode.", show_default="0")] = None,
    from_run: Annotated[
        Path | None, typer.Option("--from", metavar="RUN", help="Go on from a stored episode of TASK in this run.")
    ] = None,
    turn: Annotated[
        int | None,
        typer.Option(
            "--turn",
            metavar="K",
            help="With --from: play again up to turn K, and take it yourself.",
            show_default="the last",
        ),
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Store the episode as a run in this folder.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Play a task yourself: type commands, see what they do, submit, and see the scores.

    Example: intercode play count-january
    """
    from intercode.env.dataset_choice import dataset_and_world

    played = dataset_and_world(dataset, world)
    given = {
        **played,
        "dataset_options": parsing.values("--dataset-option", dataset_option),
        "tasks": None if task is None else (task,),
        "scoring": parsing.scoring(scoring),
        "reward": reward,
        "shell": parsing.shell(shell),
        "sandbox": sandbox,
        "unsafe": i_know_this_is_unsafe,
        "image": image,
        "network": network,
        "verifier_network": verifier_network,
        "database": database,
        "handicap": handicap,
        "attempts": attempts,
        "seed": seed,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if from_run is None:
        if turn is not None:
            raise UserError("--turn is a turn of a stored episode: name its run with --from")
        episode = _play(chosen, turns, record, json)
    else:
        episode = _play_on(from_run, task, turn, {**chosen, "turns": turns}, record, json)
    _report(episode, record, json, played["dataset"], dataset_option or ())
    if episode.status == "error":
        raise typer.Exit(1)


def _play(given: dict[str, Any], turns: int, record: Path | None, json: bool) -> Trajectory:
    from intercode.cli.display.progress_display import choose
    from intercode.runs.job import prepare
    from intercode.runs.settings import Settings
    from intercode.runs.store import RunStore

    settings = Settings(agent="human", limit=1, turns=turns).changed(**given)
    with ExitStack() as stack:
        job = stack.enter_context(prepare(settings, say=choose(interactive=True).on_message))
        job.try_out()
        store = stack.enter_context(RunStore.create(record, job.manifest)) if record else None
        if json:
            stack.enter_context(redirect_stdout(sys.stderr))
        episode = _episode(job)
        if store is not None:
            store.append(episode)
    return episode


def _play_on(
    run: Path, episode_name: str | None, turn: int | None, chosen: dict[str, Any], record: Path | None, json: bool
) -> Trajectory:
    """Play on from a *turn* of the episode *episode_name* of *run*, with the settings of that run."""
    from intercode.agents.human import HumanAgent
    from intercode.cli.display.progress_display import choose
    from intercode.cli.shared.running_action import interruptible
    from intercode.cli.show import find
    from intercode.errors import InterruptedRunError
    from intercode.runs import continuation, store
    from intercode.runs.job import prepare
    from intercode.runs.manifest import settings_here
    from intercode.runs.store import RunStore
    from intercode.runs.trust import guarded

    if episode_name is None:
        raise UserError(f"which episode of {run}? `{program_name()} show {run}` lists them")
    if others := sorted(set(chosen) - {"tasks", "turns", "unsafe"}):
        raise UserError(f"--from goes on with the settings of {run}: leave out {', '.join(others)}")
    found = store.read(run)
    stored = find(found, episode_name)
    before = continuation.turns_before(stored, turn)
    settings = guarded(settings_here(found.manifest, found.path), chosen.get("unsafe", False))
    settings = settings.changed(
        agent="human",
        agent_options={},
        model="",
        base_url="",
        model_options={},
        tasks=(stored.task.id,),
        limit=None,
        repeat=1,
        without_wrong_golds=False,
        turns=max(chosen["turns"], len(before) + 1),
    )
    with ExitStack() as stack:
        job = stack.enter_context(prepare(settings, say=choose(interactive=True).on_message))
        opened = stack.enter_context(RunStore.create(record, job.manifest)) if record else None
        if json:
            stack.enter_context(redirect_stdout(sys.stderr))
        try:
            episode = continuation.continue_episode(job, stored, before, HumanAgent(), found.path, during=interruptible)
        except KeyboardInterrupt as error:
            raise InterruptedRunError("stopped: the episode is not judged and not stored") from error
        if opened is not None:
            opened.append(episode)
    return episode


def _episode(job: Job) -> Trajectory:
    from intercode.cli.shared.running_action import interruptible
    from intercode.errors import InterruptedRunError
    from intercode.runs.episode import EpisodeRun
    from intercode.runs.runner import assignments

    first = assignments(job)[0]
    with job.make_env() as env:
        agent = job.make_agent()
        episode = EpisodeRun(env, agent, first.task, name="human", seed=first.seed, during=interruptible)
        try:
            trajectory = episode.play()
        except KeyboardInterrupt as error:
            raise InterruptedRunError("stopped: the episode is not judged and not stored") from error
    return trajectory


def _report(
    episode: Trajectory, record: Path | None, json: bool, dataset: str | None, dataset_options: Sequence[str]
) -> None:
    from intercode.cli.display import console, trajectory
    from intercode.runs import cli_hints

    if json:
        console.print_json(episode.as_dict())
        return
    out = console.out()
    out.print(f"\n{episode.status} after {pluralize(len(episode.turns), 'turn')}")
    trajectory.show_ending(out, episode)
    if record:
        print(f"\nlook at it again: {cli_hints.show_command(record, episode.task.id, program=program_name())}")
    else:
        again = cli_hints.play_command(
            episode.task.id, dataset or "", dataset_options, "--record", "DIR", program=program_name()
        )
        print(f"\nplay it again, and keep it: {again}")
