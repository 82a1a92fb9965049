"""What `hackcheck` found, for people: the verdict first, then each hole, then what else is wrong."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.verdict import Hole, TaskCheck
from intercode.cli.display import gold_warnings, hackcheck_tables
from intercode.cli.display.console import escape_control_characters
from intercode.cli.display.gold_warnings import MOST, join_names
from intercode.types import Action
from intercode_sandbox.util.text import pluralize

FEW = 3
"""Adversaries that are named of each failure."""

LONGEST = 400
"""Characters of the moves of a hole; the command that plays them again has them all."""


def show(console: Console, report: HackcheckReport, *, everything: bool = False) -> None:
    """Print *report*; *everything*: with what each adversary earned, and what it does."""
    _print(console, report.sentence, "bold green" if report.outcome == "sound" else "bold red")
    for line in _holes(report):
        _print(console, line, "red" if line and not line.startswith(" ") else "")
    for line, style in (*_complaints(report), *_guesses(report)):
        _print(console, line, style)
    gold_warnings.show(console, (warning for check in report.checks for warning in check.warnings), "--json")
    hackcheck_tables.show(console, report, everything=everything)


def _print(console: Console, line: str, style: str) -> None:
    console.print(Text(escape_control_characters(line), style=style), soft_wrap=True)  # ids can be copied whole


# Holes


def _holes(report: HackcheckReport) -> Iterator[str]:
    """Yield each hole once, with all tasks that it is proved on by the same moves, and then who pays whom."""
    same: dict[tuple[str, tuple[Action, ...]], list[tuple[str, Hole]]] = {}
    for check in report.checks:
        for hole in check.holes:
            same.setdefault((hole.kind.name, hole.moves), []).append((check.task, hole))
    groups = list(same.values())
    for holes in groups[:MOST]:
        yield ""
        yield from _hole(report, holes)
    if len(groups) > MOST:
        yield f"and {pluralize(len(groups) - MOST, 'more hole')}: --json names all"
    paying = [check for check in report.checks if check.paid(report.scoring)]
    if paying:
        yield ""
        yield f"paid ({report.scoring}):"
    for check in paying[:MOST]:
        paid = sorted(check.paid(report.scoring), key=lambda each: -each.value(report.scoring))
        names = [f"{each.name} {each.value(report.scoring):.2f}" for each in paid]
        yield f"  {check.task} pays {join_names(names, FEW)}"
    if len(paying) > MOST:
        yield f"and {len(paying) - MOST} more tasks pay: --json names all"
    if paying:
        yield ""


def _hole(report: HackcheckReport, holes: Sequence[tuple[str, Hole]]) -> Iterator[str]:
    task, hole = holes[0]
    known = "" if any(report.is_new(*each) for each in holes) else " (in the baseline)"
    yield f"{hole.kind.name}: {hole.kind.mistake}{known}"
    yield f"  tasks: {join_names([task for task, _ in holes])}"
    yield f"  earns {hole.value:.2f}: {_written(hole.moves)}"
    if hole.why:
        yield f"  paid by: {hole.why}"
    yield f"  close it: {hole.kind.remedy}"
    yield f"  again: {replay_command(report, task, hole.moves)}"


def _written(moves: Sequence[Action]) -> str:
    text = " ⏎ ".join(" ⏎ ".join(str(action).splitlines()) for action in moves)
    return "submit, and nothing else" if not moves else text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def replay_command(report: HackcheckReport, task: str, moves: Sequence[Action]) -> str:
    """Return the command that plays *moves* on *task* once more, and its gold."""
    texts = json.dumps([str(action) for action in moves], ensure_ascii=False)
    return f"{report.command} --tasks {shlex.quote(task)} --moves {shlex.quote(texts)}"


# What else is wrong


def _complaints(report: HackcheckReport) -> Iterator[tuple[str, str]]:
    checks = report.checks
    if without := [check.task for check in checks if not check.gold and check.is_judged]:
        yield f"without a gold, so that nobody has seen right work paid: {join_names(without)}", "yellow"
    if unjudged := [check.task for check in checks if not check.is_judged and not check.error]:
        yield f"without a gold or a reward.py, so that nothing judges them: {join_names(unjudged)}", "red"
    for scoring in report.scorings:
        yield from _golds(checks, scoring)
    if unsteady := report.unsteady():
        yield f"not repeatable, their gold earns 1 sometimes: {join_names(unsteady)}", "red"
    if nothing := report.not_paying():
        yield f"nothing earned more than 0, whatever was done: {join_names(nothing)}", "yellow"
    yield from ((line, "red") for line in _failures(checks))
    for check in checks:
        if check.error:
            yield f"not judged: {check.task}: {check.error}", "red"


def _golds(checks: Sequence[TaskCheck], scoring: str) -> Iterator[tuple[str, str]]:
    wrong: dict[str, list[str]] = {}
    for check in checks:
        if not check.gold_is_right(scoring):
            wrong.setdefault(check.why_gold_is_wrong(scoring), []).append(check.task)
    total = sum(bool(check.gold) for check in checks)
    right = total - sum(map(len, wrong.values()))
    if total:
        often = "twice and in a fresh sandbox" if all(len(check.gold) != 1 for check in checks) else "some played once"
        line = f"gold ({scoring}): right on {right} of {total}, {often}"
        yield line, "red" if wrong else "green"
    yield from ((f"  {len(tasks)} not: {why}: {join_names(tasks)}", "red") for why, tasks in wrong.items())


def _failures(checks: Sequence[TaskCheck]) -> list[str]:
    """Return what the tasks' own reward raised, each once, with who made it."""
    found: dict[str, list[str]] = {}
    for check in checks:
        for name, how in check.reward_failures:
            found.setdefault(how.rpartition(f"{check.task}: ")[2], []).append(f"{name} on {check.task}")
    count = pluralize(sum(map(len, found.values())), "attempt")
    heading = [f"the reward failed ({count}), though it should stand any answer:"]
    lines = [f"  {how}: {join_names(list(dict.fromkeys(who)), FEW)}" for how, who in found.items()]
    return heading + lines if lines else []


def _guesses(report: HackcheckReport) -> Iterable[tuple[str, str]]:
    """Yield what was guessed rightly: no fault of the reward, but nothing is learnt from a task that one can guess."""
    found = [
        f"  {check.task}: {each.right} of {pluralize(each.attempts, 'attempt')} of {each.name} right"
        f"{f', such as: {each.about}' if each.about and each.is_right else ''}"
        for check, each in report.lucky()
    ]
    lines = ["answers that can be guessed (right, so no fault of the reward):", *found[:MOST]] if found else []
    if len(found) > MOST:
        lines.append(f"  and {len(found) - MOST} more: --json names all")
    return [(line, "yellow") for line in lines]
