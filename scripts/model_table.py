"""Evaluate local models with several agents on several data sets, in slices that can be stopped anywhere.

    scripts/test_integrations.sh local                 # makes .venv/peers/local
    nice .venv/peers/local/bin/python scripts/model_table.py FOLDER [--minutes 15] [--tasks 5] [MODEL …]

Each call goes on where the last one stopped, ends after so many minutes, and writes the table of what is there into
docs/local-models-measured.md. FOLDER has a run for each model, data set and agent, of the same tasks; a run that is not
finished is not in the table. MODEL is a name as `--model local:MODEL` takes it.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from intercode import datasets
from intercode.report.report import Report, report
from intercode.report.summary import summarize
from intercode.report.table import Cell as Value
from intercode.report.table import Column, Table, to_markdown
from intercode.runs import store
from intercode.runs.resume import is_run

MODELS = ("smollm2-135m", "gemma3-270m")
DATASETS = ("starter", "starter-sql", "starter-python", "starter-ctf")
AGENTS = ("single-turn", "react", "try-again", "plan-solve", "tool-use")
SEED = 0
SETTINGS = ("--turns", "5", "--model-option", "temperature=0", "--model-option", "max_tokens=128", "--parallel", "4")
PAGE = Path("docs/local-models-measured.md")
MARKED = re.compile(r"(<!-- table: models -->\n).*?(<!-- /table -->)", re.DOTALL)
COLUMNS = (
    Column("model"),
    Column("agent"),
    Column("data set"),
    Column("episodes", "count"),
    Column("success, exact", "success"),
    Column("95 %", "interval"),
    Column("success, paper", "success"),
    Column("no code", "share"),
    Column("cut", "share"),
    Column("turns", "number"),
    Column("tokens read", "count"),
    Column("written", "count"),
    Column("seconds", "number"),
)
PROGRAM = str(Path(sys.executable).with_name("intercode"))


@dataclass(frozen=True, slots=True)
class Cell:
    """A run of the table."""

    model: str
    dataset: str
    agent: str

    def folder(self, root: Path) -> Path:
        """Return where it is stored."""
        return root / f"{self.model}-{self.dataset}-{self.agent}"


def cells(models: Sequence[str]) -> Iterator[Cell]:
    """Return the runs in the order of play: agents that ask little come first."""
    for agent in AGENTS:
        for model in models:
            for dataset in DATASETS:
                yield Cell(model, dataset, agent)


def sample(dataset: str, size: int) -> list[str]:
    """Return the ids of *size* tasks, the same ones for all models and agents."""
    ids = [task.id for task in datasets.load(dataset)]
    return sorted(random.Random(SEED).sample(ids, min(size, len(ids))))


def is_done(folder: Path) -> bool:
    """Return whether the run in *folder* has an episode for each of its tasks."""
    if not is_run(folder):
        return False
    run = store.read(folder)
    return len(run.episodes) >= len(run.manifest.tasks)


def play(cell: Cell, folder: Path, size: int, seconds: float) -> None:
    """Play *cell*, or the rest of it, for so many seconds; what is finished then is stored."""
    tasks = ",".join(sample(cell.dataset, size))
    command = [PROGRAM, "run", "--model", f"local:{cell.model}", "--dataset", cell.dataset, "--agent", cell.agent]
    command += [*SETTINGS, "--tasks", tasks, "--out", str(folder)]
    with subprocess.Popen(command + ["--resume"] * is_run(folder)) as run:
        try:
            run.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGINT)


def line(cell: Cell, found: Report) -> tuple[Value, ...]:
    """Return what the table says of a run; tokens and seconds are those of an episode."""
    summary, episodes = found.summary, found.run.episodes
    turns, usage = summary.counts.turns or 1, summary.usage
    used = (round(each / len(episodes)) for each in (usage.prompt_tokens, usage.completion_tokens))
    paper = summarize(episodes, "paper").rate
    shares = (summary.counts.no_code / turns, summary.counts.cut / turns)
    rates = (summary.episodes, summary.rate, summary.interval, paper, *shares)
    return (cell.model, cell.agent, cell.dataset, *rates, summary.turns, *used, summary.seconds)


def write_page(folder: Path, models: Sequence[str]) -> None:
    """Put the table of the runs that are finished into the page."""
    done = [cell for cell in cells(models) if is_done(cell.folder(folder))]
    rows = tuple(line(cell, report(store.read(cell.folder(folder)), "exact")) for cell in done)
    table = to_markdown([Table("models", COLUMNS, rows)]).partition("\n\n")[2]
    PAGE.write_text(MARKED.sub(lambda found: f"{found[1]}{table.strip()}\n{found[2]}", PAGE.read_text()))


def main() -> None:
    """Play until all is done or the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--tasks", type=int, default=5)
    given = parser.parse_args()
    end = time.monotonic() + 60 * given.minutes
    for cell in cells(given.models):
        folder = cell.folder(given.folder)
        if not is_done(folder) and (left := end - time.monotonic()) > 0:
            play(cell, folder, given.tasks, left)
    write_page(given.folder, given.models)
    missing = [cell for cell in cells(given.models) if not is_done(cell.folder(given.folder))]
    if missing:
        sys.exit(f"{len(missing)} runs are not done: run the same command again")
    print(f"all is done: {PAGE}")


if __name__ == "__main__":
    main()
