"""A comparison laid out as tables."""

from __future__ import annotations

from intercode.report.comparison import RunComparison
from intercode.report.run_names import run_names
from intercode.report.table import Cell, Column, Table
from intercode.runs.store import StoredRun
from intercode_sandbox.util.text import pluralize


def make_tables(found: RunComparison, first: StoredRun, second: StoredRun, scoring: str) -> list[Table]:
    """Return both runs in a line each, and the second against the first in one."""
    return [_both(found, run_names([first.path, second.path]), scoring), _difference(found)]


def _both(found: RunComparison, called: list[str], scoring: str) -> Table:
    columns = (
        Column("run"),
        Column("tasks", "count"),
        Column(f"success, {scoring}", "success"),
        Column("95 %", "interval"),
        Column("reward", "reward"),
        Column("95 %, reward", "reward interval"),
    )
    rows = list(
        zip(
            called,
            [len(found.pairs)] * 2,
            found.rates,
            found.intervals,
            found.rewards,
            found.reward_intervals,
            strict=True,
        )
    )
    left_out = pluralize(
        len(found.left_out),
        "task counts in only one of the runs, and is left out",
        "tasks count in only one of the runs, and are left out",
    ) * bool(found.left_out)
    return Table("on the same tasks", columns, tuple(rows), "; ".join(filter(None, (left_out, found.warning))))


def _difference(found: RunComparison) -> Table:
    columns = (
        Column("difference", "change"),
        Column("95 %", "interval"),
        Column("p", "chance"),
        Column("won", "count"),
        Column("lost", "count"),
        Column("the same", "count"),
    )
    verdicts = [len(found.tasks(verdict)) for verdict in ("won", "lost", "same")]
    row: tuple[Cell, ...] = (found.difference, found.verdict.interval, found.verdict.p, *verdicts)
    return Table("second against first", columns, (row,), _in_words(found))


def _in_words(found: RunComparison) -> str:
    """Return the answer in one line, which does not say more than the figures do."""
    figures = f"p = {found.verdict.p:.2g} ({found.verdict.procedure})"
    if not found.verdict.is_shown:
        return f"no difference is shown: {figures}"
    better = "more" if found.difference > 0 else "fewer"
    return f"the second solves {abs(found.difference) * 100:.1f} points {better}: {figures}"
