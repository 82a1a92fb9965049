"""`intercode hackcheck`: check whether a reward pays adversaries that do no work."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intercode.cli.shared import options, parsing
from intercode.cli.shared.program_name import program_name
from intercode.errors import UserError

if TYPE_CHECKING:
    from intercode.audit.hackcheck.report import HackcheckReport
    from intercode.audit.hackcheck.targets.base import GradedTarget
    from intercode.audit.hackcheck.verdict import Hole
    from intercode.audit.hackcheck.workspace import GradedWorkspace

PAID = 3
"""The exit status where an adversary earns something: the reward has a hole."""

RAISED = 5
"""The exit status where none does, and the tasks' own reward raised something, or gave what is no reward."""

UNUSABLE = 4
"""The exit status where none does, and a gold does not succeed each time, nothing judges, or nothing was checked."""

INTERRUPTED = 130
"""The exit status after Ctrl-C, where nobody was paid until then."""

QUICK = 10.0
"""The seconds of a task under `--quick`."""

STATUS = {"paid": PAID, "error": 1, "reward failed": RAISED, "unchecked": UNUSABLE, "unusable": UNUSABLE, "sound": 0}
"""The exit status of each outcome."""


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
    workspace: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Check a folder of any kind, where an agent works, instead of a data set."),
    ] = None,
    grade: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="What grades --workspace, run there; what it names comes in only then."),
    ] = None,
    solution: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What does the work, and must earn 1: a script or a patch for --workspace, a reply or a JSON list of "
            "actions for another framework's environment.",
        ),
    ] = None,
    request: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What an agent is asked for in --workspace, or a file that says it."),
    ] = None,
    reads: Annotated[
        str,
        typer.Option(
            metavar="status|number|FILE",
            help="How --grade says what was earned: its exit status, a number from 0 to 1 in its last line, or a JSON "
            "file that it writes.",
        ),
    ] = "status",
    same_machine: Annotated[
        bool,
        typer.Option(
            "--same-machine", help="--grade runs over all that the agent left, its changes of the system included."
        ),
    ] = False,
    moves: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            parser=parsing.texts,
            help='Play these actions, a JSON list such as ["rm -rf /app"], and nobody else: a hole again.',
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            parser=parsing.number(1),
            help="End after N seconds, with what was found. Those who find most play first.",
            show_default="no limit",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Take at most 10 seconds a task, and say what was left out for that.")
    ] = False,
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Fail only for holes that this report does not name (made by --json)."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show also the adversaries that earned nothing, and what each does.")
    ] = False,
    sarif: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the holes as SARIF, for code hosts.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page of one file.")] = None,
    badge: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a badge, an SVG picture.")] = None,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Write hardened forms of reward.py and of tests beside them, as far as that is mechanical.",
        ),
    ] = False,
    selftest: Annotated[
        bool, typer.Option("--selftest", help="Check that adversaries are paid where they must be, and end.")
    ] = False,
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
    network: options.Network = None,
    verifier_network: options.VerifierNetwork = None,
    database: options.Database = None,
    parallel: options.Parallel = 1,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """Play every task's gold, which must earn 1, and adversaries that do no work, which must earn 0.

    They do nothing, delete everything, print PASSED, touch /tmp/done, guess words and numbers, and so on. That none was
    paid is no proof that none can be. DATASET may be an environment of verifiers (verifiers:NAME, a folder), a task of
    Inspect (FILE.py@TASK) or an id of Gymnasium: its code is run, and not in a sandbox. Exit status: 3 if an adversary
    was paid, 4 if a gold is wrong or nothing was checked.
    """
    from intercode.cli.display import progress_display

    if selftest:
        _test_itself()
        return
    from intercode.adversaries.adversary import Adversary, playing
    from intercode.audit.hackcheck.adversaries import among, by_yield
    from intercode.audit.hackcheck.baseline import read_baseline
    from intercode.audit.hackcheck.check import HackCheck
    from intercode.audit.hackcheck.report import HackcheckReport
    from intercode.errors import InterruptedRunError
    from intercode.types import Action

    known = frozenset() if baseline is None else read_baseline(baseline)
    given: dict[str, Any] = {
        "tasks": parsing.names(tasks),
        "limit": limit,
        "scoring": parsing.scoring(scoring),
        "reward": reward,
        "shell": parsing.shell(shell),
        "sandbox": sandbox,
        "unsafe": i_know_this_is_unsafe,
        "image": image,
        "network": network,
        "verifier_network": verifier_network,
        "database": database,
    }
    graded = _graded_workspace(workspace, grade, solution, request, reads, same_machine=same_machine)
    if graded is not None and (dataset is not None or world is not None):
        raise UserError("--workspace names what is checked: leave out the data set and --world")
    if fix and graded is not None:
        raise UserError("--fix writes beside a data set's own rewards and tests: leave out --workspace")
    target = _target(given, dataset, world, dataset_option, graded, solution)
    command = _command(target, given)
    progress = progress_display.choose("unpaid")
    interrupted = False
    with target.open(progress.on_message) as opened:
        job = opened.job
        chosen = among(opened.adversaries, parsing.names(adversaries) or (), job.settings.world)
        if quick:
            seconds = min(seconds or math.inf, QUICK * len(job.tasks))
        if seconds is not None:
            chosen = by_yield(chosen)
        if moves is not None:
            actions = [Action.parse(text) for text in moves]
            chosen = (Adversary("moves", "takes the actions of --moves", playing(actions)),)
        job.try_out()
        hackcheck = HackCheck(
            job, opened.elsewhere, chosen, allow, parallel, progress, every_guess=every_guess, explains=True,
            seconds=math.inf if seconds is None else seconds, sources=opened.sources,
        )  # fmt: skip
        try:
            hackcheck.run()
        except InterruptedRunError:
            interrupted = True
        report = HackcheckReport(
            hackcheck.found, chosen, job.scoring, len(job.tasks), command, known, allow_wrong_golds, target.advice
        )
    _show(report, form, json=json, everything=everything)
    _write(report, target.name, {"sarif": sarif, "html": html, "badge": badge})
    if fix and report.outcome == "paid":
        from intercode.audit.hackcheck.fix.mend import fix as harden
        from intercode.cli.display import console, hackcheck_fix

        to = console.err() if json or form != "table" else console.out()
        hackcheck_fix.show(to, harden(job.settings, report.checks))
    if interrupted and report.outcome != "paid":
        raise typer.Exit(INTERRUPTED)
    if status := STATUS[report.outcome]:
        raise typer.Exit(status)


def _target(
    given: Mapping[str, Any], dataset: str | None, world: str | None, dataset_option: Sequence[str] | None,
    graded: GradedWorkspace | None, solution: Path | None,
) -> GradedTarget:  # fmt: skip
    """Return what is to be checked: another framework's tasks, a folder with a command, or a data set."""
    from intercode.audit.hackcheck.targets.dataset import DatasetTarget
    from intercode.audit.hackcheck.targets.peers import kinds
    from intercode.audit.hackcheck.targets.peers.target import PeerTarget, read_solution
    from intercode.audit.hackcheck.targets.workspace import WorkspaceTarget
    from intercode.env.dataset_choice import dataset_and_world
    from intercode.runs.settings import Settings

    peer = None if dataset is None or world is not None or graded is not None else kinds.find(dataset)
    if peer is not None:
        return PeerTarget(peer, given["tasks"] or (), given["limit"], read_solution(solution))
    if solution is not None and graded is None:
        raise UserError("--solution belongs to --workspace DIR --grade COMMAND, or to another framework's environment")
    named = dataset_and_world(dataset, world)
    options = parsing.values("--dataset-option", dataset_option)
    chosen = {**given, **named, "dataset_options": options}
    settings = Settings(**{name: value for name, value in chosen.items() if value is not None})
    if graded is not None:
        return WorkspaceTarget(graded, settings)
    words = [named["dataset"] or "starter", *(["--world", str(named["world"])] if named["world"] else [])]
    words += [word for option in dataset_option or () for word in ("--dataset-option", option)]
    return DatasetTarget(settings, words)


def _graded_workspace(
    workspace: Path | None, grade: str | None, solution: Path | None, request: str | None, reads: str, *,
    same_machine: bool,
) -> GradedWorkspace | None:  # fmt: skip
    """Return the folder and the command that were named; None where something else is checked."""
    from intercode.audit.hackcheck.workspace import GradedWorkspace

    if workspace is not None and grade is not None:
        return GradedWorkspace(workspace, grade, solution, request or "", reads, same_machine)
    if workspace is not None or grade is not None:
        raise UserError("--workspace DIR and --grade COMMAND belong together: name both, or a data set")
    if request is not None or same_machine:
        raise UserError("--solution, --request and --same-machine belong to --workspace DIR --grade COMMAND")
    return None


def _command(target: GradedTarget, given: Mapping[str, Any]) -> str:
    """Return the command line that checks the same *target* in the same way."""
    named = {name: given[name] for name in ("scoring", "reward", "shell", "sandbox", "image", "database")}
    words = [program_name(), "hackcheck", *target.words]
    words += [word for name, value in named.items() if value for word in (f"--{name}", value)]
    return shlex.join([*words, *(["--i-know-this-is-unsafe"] if given["unsafe"] else [])])


def _show(report: HackcheckReport, form: str, *, json: bool, everything: bool) -> None:
    from intercode.audit.hackcheck.summary import to_json
    from intercode.cli.display import console, hackcheck, hackcheck_tables, tables

    if json or form != "table":
        tables.show(hackcheck_tables.sheets(report), form, to_json(report), json)
    else:
        hackcheck.show(console.out(), report, everything=everything)


def _write(report: HackcheckReport, dataset: str, files: Mapping[str, Path | None]) -> None:
    """Write *report* into *files*, in the format that each is named for."""
    from intercode.audit.hackcheck.formats.badge import to_svg
    from intercode.audit.hackcheck.formats.page import to_html
    from intercode.audit.hackcheck.formats.sarif import to_sarif
    from intercode.cli.display.hackcheck import replay_command

    def replay(task: str, hole: Hole) -> str:
        return replay_command(report, task, hole.moves)

    make = {
        "sarif": lambda: dumps(to_sarif(report, dataset), indent=2) + "\n",
        "html": lambda: to_html(report, dataset, replay),
        "badge": lambda: to_svg(report),
    }
    for name, path in files.items():
        if path is None:
            continue
        try:
            path.write_text(make[name](), encoding="utf-8", errors="replace")
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}; name another file for --{name}") from error


def _test_itself() -> None:
    from intercode.audit.hackcheck.selftest import unpaid

    if missing := unpaid():
        raise SystemExit(f"intercode: not paid where they must be: {', '.join(missing)}")
    print("every class of adversaries is paid where it must be")
