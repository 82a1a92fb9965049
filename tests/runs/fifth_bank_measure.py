"""What `intercode hackcheck` finds in the fifth bank, and in what time: a table by class, and one by kind of data set.

`python tests/runs/fifth_bank_measure.py [PART-OF-A-NAME …]` plays all adversaries on each data set; with parts of names
also on those of the sixth bank, and those that another project describes. A line is printed as each is done, with what
is paid, the seconds, and the processor's.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from data_set_bank import DESCRIBED_HOLES, FIFTH_HOLES, FIFTH_SOUND, SIXTH_HOLES, SIXTH_SOUND, read_entry
from test_bank_measure import percent, settings_of

from intercode.audit.hackcheck.adversaries import by_yield, choose
from intercode.audit.hackcheck.check import HackCheck
from intercode.runs.job import prepare


@dataclass(frozen=True)
class Measured:
    """One data set: who was paid, and the time that the check took."""

    name: str
    kind: str
    paid: tuple[str, ...]
    error: str
    seconds: float
    processor: float

    def __str__(self) -> str:
        found = ", ".join(self.paid[:3]) or self.error or "nobody was paid"
        return f"{self.name:32} {self.kind or 'sound':24} {self.seconds:6.1f} {self.processor:6.1f}  {found}"


def measure(name: str) -> Measured:
    """hackcheck of the data set called *name*, as the command does it."""
    with TemporaryDirectory() as folder:
        entry = read_entry(name, Path(folder))
        settings = settings_of(entry, Path(folder), only_hole=False)
        began, spent = time.monotonic(), processor()
        with prepare(settings) as job, prepare(settings) as elsewhere:
            adversaries = by_yield(choose(job.settings.world, []))
            check = HackCheck(job, elsewhere, adversaries, stops_early=bool(entry.hole), sources=entry.sources)
            checks = check.run()
        paid = tuple(each.name for task in checks for each in task.paid(task.scoring))
        errors = (task.error or task.why_gold_is_wrong(task.scoring) for task in checks)
        error = "; ".join(filter(None, errors))
        return Measured(name, entry.kind, paid, error, time.monotonic() - began, processor() - spent)


def processor() -> float:
    """The processor's seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def table(found: Iterable[tuple[str, bool]], title: str) -> None:
    """Print how many were found of each group."""
    groups = defaultdict(list)
    for group, is_found in found:
        groups[group].append(is_found)
    print(f"\n| {title} | found | rate |\n|---|---|---|")
    for group, each in sorted(groups.items()):
        print(f"| {group} | {sum(each)} of {len(each)} | {percent(sum(each), len(each))} |")
    every = [is_found for each in groups.values() for is_found in each]
    print(f"| all | {sum(every)} of {len(every)} | {percent(sum(every), len(every))} |")


def main(parts: list[str]) -> None:
    more = (*SIXTH_HOLES, *SIXTH_SOUND, *DESCRIBED_HOLES) if parts else ()
    every = (*FIFTH_HOLES, *FIFTH_SOUND, *more)
    names = [name for name in every if not parts or any(part in name for part in parts)]
    measured = []
    for name in names:
        measured.append(measure(name))
        print(measured[-1], flush=True)
    holes = [each for each in measured if each.name not in (*FIFTH_SOUND, *SIXTH_SOUND)]
    table(((f"`{each.kind}`", bool(each.paid)) for each in holes), "class")
    table(((each.name.partition("-")[0], bool(each.paid)) for each in holes), "data set")
    alarms = [each.name for each in measured if each.name in (*FIFTH_SOUND, *SIXTH_SOUND) and each.paid]
    print(f"\nfalse alarms: {len(alarms)} of {len(measured) - len(holes)} {' '.join(alarms)}")
    slowest = max(measured, key=lambda each: each.processor)
    print(f"seconds: {sum(each.seconds for each in measured):.0f}; the most processor's: {slowest}")


if __name__ == "__main__":
    main(sys.argv[1:])
