"""What `hackcheck` found, as tables: first what each adversary earned, then the tasks whose gold does not."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from intercode.cli.display.console import escape_control_characters
from intercode.runs.hackcheck.adversary import Adversary
from intercode.runs.hackcheck.gold_lint import RULES
from intercode.runs.hackcheck.verdict import AdversaryScore, AdversarySummary, TaskCheck, summarize
from intercode.runs.report.summary import leading_first
from intercode.runs.report.table import Column
from intercode.runs.report.table import Table as Sheet
from intercode.text import pluralize
from intercode.types import Scoring

SHARED = " (generic guesses each on a third of the tasks, which one judge scores; --every-guess: on all)"
"""What the last line says besides, where that is so."""

MOST, FEW = 8, 3
"""Tasks that are named before the rest is counted, and adversaries of each."""


def show(console: Console, checks: Sequence[TaskCheck], adversaries: Sequence[Adversary], scoring: Scoring) -> None:
    """The report: adversaries under both scorings, the one that counts first; golds; and the verdict."""
    order = leading_first(scoring)
    console.print(_earnings(checks, adversaries, order))
    console.print()
    console.print(_descriptions(adversaries))
    console.print()
    if guessing := [each.name for each in adversaries if each.guesses]:
        console.print(f"only a success counts against the reward: {', '.join(guessing)}", style="dim", highlight=False)
    found = (
        *_golds(checks, order),
        *_paying(checks, scoring),
        *_failures(checks),
        *_errors(checks),
    )
    for line, is_good in found:
        console.print(_finding(line, is_good), soft_wrap=True)  # ids can be copied whole
    console.print(_finding(*_verdict(checks, scoring)))
    for line in _warnings(checks):
        console.print(Text(escape_control_characters(line), style="yellow"), soft_wrap=True)


def _finding(line: str, is_good: bool) -> Text:
    return Text(escape_control_characters(line), style="green" if is_good else "red")


def say_what_next(checks: Sequence[TaskCheck], scoring: Scoring, command: str) -> None:
    """How to look closer at the first task that does not pass."""
    failing = next((check for check in checks if not check.passes(scoring)), None)
    if failing is not None:
        print(f"\nlook closer: {command} --tasks {failing.task} --scoring {scoring} --json")


def _earnings(checks: Sequence[TaskCheck], adversaries: Sequence[Adversary], order: Sequence[Scoring]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("adversary", no_wrap=True)
    table.add_column("tried", justify="right", no_wrap=True)
    for scoring in order:
        for column in ("paid", "mean", "most"):
            table.add_column(f"{scoring}\n{column}", justify="right", no_wrap=True)
    for each in adversaries:
        found = [summarize(each.name, checks, scoring) for scoring in order]
        table.add_row(each.name, str(found[0].attempts), *(cell for one in found for cell in _cells(one)))
    return table


def _descriptions(adversaries: Sequence[Adversary]) -> Table:
    """What each does, in a table of its own: beside the figures it would have no room."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("adversary", no_wrap=True)
    table.add_column("what it does", overflow="fold")
    for each in adversaries:
        table.add_row(each.name, each.about)
    return table


def sheets(checks: Sequence[TaskCheck], adversaries: Sequence[Adversary], scoring: Scoring) -> list[Sheet]:
    """The figures, and whether each task passes, for programs that read tables."""
    order = leading_first(scoring)
    columns = [Column("adversary"), Column("what it does"), Column("tried", "count")]
    for name in order:
        columns += [Column(f"{name} paid", "count"), Column(f"{name} mean", "reward"), Column(f"{name} most", "reward")]
    rows = []
    for each in adversaries:
        found = [summarize(each.name, checks, name) for name in order]
        figures = [cell for one in found for cell in (one.paid, one.mean, one.most)]
        rows.append((each.name, each.about, found[0].attempts, *figures))
    tasks = [(check.task, int(check.passes(scoring)), len(check.paid(scoring))) for check in checks]
    passing = (Column("task"), Column("passes", "count"), Column("paid", "count"))
    return [Sheet("adversaries", tuple(columns), tuple(rows)), Sheet("tasks", passing, tuple(tasks))]


def _cells(summary: AdversarySummary) -> list[Text]:
    style = "red" if summary.successes else "yellow" if summary.paid else "green"
    texts = (f"{summary.paid}/{summary.tasks}", f"{summary.mean:.3f}", f"{summary.most:.2f}")
    return [Text(text, style=style) for text in texts]


def _golds(checks: Sequence[TaskCheck], order: Sequence[Scoring]) -> list[tuple[str, bool]]:
    without = [check.task for check in checks if not check.gold and check.is_judged]
    unjudged = [check.task for check in checks if not check.is_judged and not check.error]
    lines = [(f"without a gold: {_join_names(without)}", True)] if without else []
    if unjudged:
        lines.append((f"without a gold or a reward.py, so that nothing judges them: {_join_names(unjudged)}", False))
    for scoring in order:
        wrong: dict[str, list[str]] = {}
        for check in checks:
            if not check.gold_is_right(scoring):
                wrong.setdefault(check.why_gold_is_wrong(scoring), []).append(check.task)
        total = sum(bool(check.gold) for check in checks)
        right = total - sum(map(len, wrong.values()))
        lines.append((f"gold ({scoring}): right on {right} of {total}, twice and in a fresh sandbox", not wrong))
        lines += [(f"  {len(tasks)} not: {why}: {_join_names(tasks)}", False) for why, tasks in wrong.items()]
    return lines


def _warnings(checks: Sequence[TaskCheck]) -> list[str]:
    """Golds that a person should read: by rule, with the tasks."""
    found: dict[str, list[str]] = {}
    for warning in (warning for check in checks for warning in check.warnings):
        found.setdefault(warning.rule, []).append(warning.task)
    heading = ["golds worth reading, for what they did when they ran (hints, no verdict; --json says more):"]
    lines = [
        f"  {pluralize(len(found[rule]), 'gold')}: {RULES[rule]}: {_join_names(found[rule])}"
        for rule in RULES
        if rule in found
    ]
    return heading + lines if lines else []


def _paying(checks: Sequence[TaskCheck], scoring: Scoring) -> list[tuple[str, bool]]:
    """The tasks that pay, each with those whom it pays most."""
    paying = [(check.task, check.paid(scoring)) for check in checks if check.paid(scoring)]
    lines = []
    for task, paid in paying[:MOST]:
        best = sorted(paid, key=lambda each: -each.value(scoring))
        names = [f"{each.name} {each.value(scoring):.2f}{_how(each)}" for each in best]
        lines.append(f"  {task} pays {_join_names(names, FEW)}")
    if len(paying) > MOST:
        lines.append(f"  and {len(paying) - MOST} more tasks pay: --json names all")
    return [(line, False) for line in ([f"paid ({scoring}):", *lines] if lines else [])]


def _how(earning: AdversaryScore) -> str:
    """Which of several attempts it was."""
    return f" ({earning.about})" if earning.attempts > 1 and earning.about else ""


def _errors(checks: Sequence[TaskCheck]) -> list[tuple[str, bool]]:
    return [(f"not judged: {check.task}: {check.error}", False) for check in checks if check.error]


def _failures(checks: Sequence[TaskCheck]) -> list[tuple[str, bool]]:
    """What the tasks' own reward raised, each once, with who made it."""
    found: dict[str, list[str]] = {}
    for check in checks:
        for name, how in check.reward_failures:
            found.setdefault(how.rpartition(f"{check.task}: ")[2], []).append(f"{name} on {check.task}")
    count = pluralize(sum(map(len, found.values())), "attempt")
    heading = [f"the reward failed ({count}), though it should stand any answer:"]
    lines = [f"  {how}: {_join_names(list(dict.fromkeys(who)), FEW)}" for how, who in found.items()]
    return [(line, False) for line in (heading + lines if lines else [])]


def _verdict(checks: Sequence[TaskCheck], scoring: Scoring) -> tuple[str, bool]:
    """What was found, and how much was tried to find it: that nobody was paid is no proof that nobody can be."""
    passing = sum(check.passes(scoring) for check in checks)
    paying = sum(bool(check.paid(scoring)) for check in checks)
    tried = _describe_attempts(checks)
    if paying:
        pay = "pays" if paying == 1 else "pay"
        return f"{paying} of {pluralize(len(checks), 'task')} {pay} an adversary under {scoring}; {tried}", False
    verdict = f"no adversary was paid{_but(checks)} under {scoring}; {tried}"
    if passing == len(checks):
        return verdict, True
    if any(check.reward_failures for check in checks):
        return f"{verdict}; but the reward itself failed", False
    unusable = sum(not check.is_usable(scoring) for check in checks)
    if not unusable:
        return f"{verdict}; some could not be judged", False
    why = (
        "since no gold there earns 1 each time" if any(check.gold for check in checks) else "since nothing judges them"
    )
    return f"{verdict}; {pluralize(unusable, 'task')} not usable, {why}", False


def _but(checks: Sequence[TaskCheck]) -> str:
    """What adversaries may earn, where that is not nothing."""
    most = f" more than {checks[0].allowed:g}" if checks and checks[0].allowed else ""
    if any(each.guesses and each.value(check.scoring) > 0 for check in checks for each in check.adversaries):
        most += ", but for parts that were guessed,"
    return most


def _describe_attempts(checks: Sequence[TaskCheck]) -> str:
    adversaries = pluralize(len(checks[0].adversaries) if checks else 0, "adversary", "adversaries")
    attempts = pluralize(sum(check.attempts for check in checks), "attempt")
    shared = SHARED if any(check.shares for check in checks) else ""
    return f"tried: {adversaries} on {pluralize(len(checks), 'task')}, {attempts}{shared}"


def _join_names(names: Sequence[str], most: int = MOST) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
