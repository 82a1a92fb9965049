"""What each adversary earned, as tables for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from intercode.adversaries.adversary import Adversary
from intercode.adversaries.hole_classes import class_of
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.summary import FIGURES, AdversarySummary, summarize
from intercode.report.table import Column
from intercode.report.table import Table as Sheet
from intercode_sandbox.util.text import pluralize


def show(console: Console, report: HackcheckReport, *, everything: bool) -> None:
    """Print those that earned something under the scoring that counts, or *everything* under both."""
    found = {each.name: summarize(each.name, report.checks, report.scoring) for each in report.adversaries}
    earned = [each for each in report.adversaries if everything or found[each.name].most > 0]
    if earned:
        console.print()
        console.print(_earnings(report, earned, report.scorings if everything else (report.scoring,)))
    if everything:
        console.print()
        console.print(_descriptions(report.adversaries))
    elif rest := sum(found[each.name].tasks > 0 and each not in earned for each in report.adversaries):
        console.print(
            Text(
                f"{pluralize(rest, 'adversary', 'adversaries')} earned nothing; --all shows what each does and earned",
                style="dim",
            )
        )


def sheets(report: HackcheckReport) -> list[Sheet]:
    """Return the figures, and whether each task passes, for programs that read tables."""
    order = report.scorings
    columns = [Column("adversary"), Column("what it does"), Column("tried", "count")]
    for name in order:
        columns += [Column(f"{name} {each}", "count" if each in FIGURES[:3] else "reward") for each in FIGURES]
    rows = []
    for each in report.adversaries:
        found = [summarize(each.name, report.checks, name) for name in order]
        figures = [getattr(one, name) for one in found for name in FIGURES]
        rows.append((each.name, each.about, found[0].attempts, *figures))
    tasks = [
        (check.task, int(check.passes(report.scoring)), len(check.paid(report.scoring))) for check in report.checks
    ]
    passing = (Column("task"), Column("passes", "count"), Column("paid", "count"))
    return [Sheet("adversaries", tuple(columns), tuple(rows)), Sheet("tasks", passing, tuple(tasks))]


def _earnings(report: HackcheckReport, adversaries: Sequence[Adversary], order: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("adversary", no_wrap=True)
    table.add_column("tried", justify="right", no_wrap=True)
    for scoring in order:
        for column in FIGURES:
            table.add_column(f"{scoring}\n{column}", justify="right", no_wrap=True)
    for each in adversaries:
        found = [summarize(each.name, report.checks, scoring) for scoring in order]
        table.add_row(each.name, str(found[0].attempts), *(cell for one in found for cell in _cells(one)))
    return table


def _cells(summary: AdversarySummary) -> list[Text]:
    style = "red" if summary.paid else "yellow" if summary.right or summary.partly else "green"
    counts = (f"{summary.paid}/{summary.tasks}", str(summary.right), str(summary.partly))
    return [Text(text, style=style) for text in (*counts, f"{summary.mean:.3f}", f"{summary.most:.2f}")]


def _descriptions(adversaries: Sequence[Adversary]) -> Table:
    """Return what each does, in a table of its own: beside the figures it would have no room."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("adversary", "class of hole"):
        table.add_column(column, no_wrap=True)
    table.add_column("what it does", overflow="fold")
    for each in adversaries:
        table.add_row(each.name, class_of(each.name).name, each.about)
    return table
