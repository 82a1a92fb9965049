"""What `import` found, as tables: how many golds stand, and why records were dropped."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from intercode.audit.dataset_import.finding import DroppedRecord, GoldFinding, counts, reasons
from intercode.cli.display import gold_warnings
from intercode.cli.display.console import escape_control_characters
from intercode.report.table import Column
from intercode.report.table import Table as Sheet

WORDS = {
    "runs": "the gold runs and ends with success",
    "deterministic": "it is deterministic: two runs show and leave the same, and it does not ask what time it is",
    "changes": "it changes something",
    "success": "it scores 1",
    "network": "it needs the network",
    "missing": "it names what is not there",
}
"""What is counted, in words."""


def show(console: Console, findings: Sequence[GoldFinding], dropped: Sequence[DroppedRecord]) -> None:
    """Counts first, then the reasons, each with an example."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(justify="right", style="bold")
    table.add_column()
    table.add_row(str(len(findings)), "tasks whose gold was run; of these:")
    for name, number in counts(findings).items():
        table.add_row(str(number), WORDS[name])
    table.add_section()
    table.add_row(str(sum(each.is_good for each in findings)), Text("can be scored", style="green"))
    console.print(table)
    if dropped:
        console.print(_reasons(dropped))
    kept = (warning for each in findings if each.is_good for warning in each.warnings)
    gold_warnings.show(console, kept, "fidelity.json")


def sheets(findings: Sequence[GoldFinding], dropped: Sequence[DroppedRecord]) -> list[Sheet]:
    """Return the same, for programs that read tables."""
    found = {"tasks whose gold was run": len(findings), **{WORDS[name]: n for name, n in counts(findings).items()}}
    rows = (*found.items(), ("can be scored", sum(each.is_good for each in findings)))
    columns = (Column("what"), Column("tasks", "count"))
    why = (Column("cannot be scored, because"), Column("records", "count"))
    return [Sheet("golds", columns, rows), Sheet("left out", why, tuple(reasons(dropped)))]


def _reasons(dropped: Sequence[DroppedRecord]) -> Table:
    table = Table("", "cannot be scored, because", "for example", box=None, pad_edge=False, header_style="dim")
    for why, number in reasons(dropped):
        example = next(each for each in dropped if each.why == why)
        detail = f": {example.detail}" if example.detail else ""
        table.add_row(
            str(number),
            escape_control_characters(why),
            Text(escape_control_characters(f"{example.place}{detail}"), overflow="ellipsis", no_wrap=True),
        )
    return table
