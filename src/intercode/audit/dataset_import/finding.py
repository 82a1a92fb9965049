"""What was found out about one gold, and whether its task can be kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intercode.types.gold_warnings import GoldWarning


@dataclass(frozen=True, slots=True)
class GoldFinding:
    """One task of an imported data set.

    `runs`: the gold ended by itself and with success (`exit_code` 0, or none where its world has none).
    `deterministic`: two runs, in worlds whose files are a minute apart, showed, left and scored the same, and the gold
    does not ask what time or day it is (`clock` has the words that do). `changes`: it leaves another state than it
    found. `value`: what it earns under `exact`, and `success` whether that is all. `network`: the words in it that want
    one. `missing`: files, tables or programs that it names, and that are neither there nor made by it. `terminal`: what
    it says of a terminal, of which there is none. `truncated`: it showed more than is kept. `notes` are the judge's.
    `warnings` are hints to read it; they count for nothing.
    """

    task: str
    runs: bool = False
    exit_code: int | None = None
    timed_out: bool = False
    truncated: bool = False
    deterministic: bool = False
    changes: bool = False
    value: float = 0.0
    success: bool = False
    network: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    clock: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""
    warnings: tuple[GoldWarning, ...] = ()

    @property
    def why_dropped(self) -> str:
        """Return why the task cannot be scored; "" where it can."""
        if self.error:
            return "the machine failed"
        is_whole = self.runs or not (self.network or self.missing or self.terminal)
        if self.success and self.deterministic and is_whole:
            return ""
        if self.timed_out:
            return "the gold takes too long"
        if self.truncated:
            return "the gold shows more than is kept of an output"
        if self.network:
            return "the gold needs the network"
        if self.missing:
            return "the gold names what is not there"
        if self.terminal:
            return "the gold needs a terminal"
        if not self.deterministic:
            return "the gold asks what time it is" if self.clock else "two runs of the gold differ"
        return self.notes[-1] if self.notes else "the gold does not score 1"

    @property
    def is_good(self) -> bool:
        """Return whether it is kept."""
        return not self.why_dropped


@dataclass(frozen=True, slots=True)
class DroppedRecord:
    """A record that became no task, or a task that was left out: where it stands, and why."""

    place: str
    why: str
    detail: str = ""


COUNTS = ("runs", "deterministic", "changes", "success", "network", "missing")
"""What is counted in a report."""


def counts(findings: Sequence[GoldFinding]) -> dict[str, int]:
    """Of how many tasks each of `COUNTS` holds."""
    return {name: sum(bool(getattr(each, name)) for each in findings) for name in COUNTS}


def reasons(dropped: Sequence[DroppedRecord]) -> list[tuple[str, int]]:
    """Return why records were dropped, the most frequent reason first."""
    return Counter(each.why for each in dropped).most_common()


def to_json(findings: Sequence[GoldFinding], dropped: Sequence[DroppedRecord]) -> dict[str, Any]:
    """Return the whole report for programs."""
    return {
        "records": len(findings) + len([each for each in dropped if each.place not in {one.task for one in findings}]),
        "kept": sum(each.is_good for each in findings),
        "counts": counts(findings),
        "dropped": [{name: getattr(each, name) for name in DroppedRecord.__slots__} for each in dropped],
        "tasks": [_plain(each) for each in findings],
    }


def _plain(finding: GoldFinding) -> dict[str, Any]:
    plain = {name: getattr(finding, name) for name in GoldFinding.__slots__}
    lists = {name: list(plain[name]) for name in ("network", "missing", "clock", "terminal", "notes")}
    warnings = [{"rule": each.rule, "about": each.about} for each in finding.warnings]
    return plain | lists | {"warnings": warnings, "kept": finding.is_good}
