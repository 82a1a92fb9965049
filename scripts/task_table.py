"""Print what `intercode data prepare` found of a folder of Harbor's tasks, task by task, as a page's table.

Example: python scripts/task_table.py ./terminal-bench-2 build=archive tools=prepared network=true
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from intercode.cli.shared.parsing import values
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.runs.verdicts import Verdict, Verdicts
from intercode.worlds.harbor.task_settings import task_folders

LONGEST = 260
HEAD = "| task | read | built | solution earns 1 | nothing earns 0 | why not |\n|---|---|---|---|---|---|"


def main() -> None:
    """Print one row for each task, and how many there are of each kind."""
    folder, options = sys.argv[1], values("--dataset-option", sys.argv[2:]) or {}
    with prepare(Settings(dataset=folder, dataset_options=options)) as job, job.make_env() as env:
        dataset, verdicts = env.dataset, Verdicts.of(job.settings)
        tasks = {task.id.rpartition("/")[2]: task for task in dataset}
        rows = []
        for name in sorted(path.name for path in task_folders(folder)):
            unread = (name, "no", "", "", "", dataset.left_out.get(name, ""))
            rows.append(_row(name, verdicts.find(dataset, tasks[name])) if name in tasks else unread)
    print(HEAD)
    for *facts, why in rows:
        print(f"| {' | '.join([*facts, _short(why, folder)])} |")
    counts = {
        "tasks": len(rows),
        "read": sum(row[1] == "yes" for row in rows),
        "tried": sum(row[2] != "" for row in rows),
        "built": sum(row[2] == "yes" for row in rows),
        "judged": sum(row[3] == row[4] == "yes" for row in rows),
    }
    print("\n" + ", ".join(f"{count} {what}" for what, count in counts.items()))


def _row(name: str, found: Verdict | None) -> tuple[str, ...]:
    if found is None:
        return (name, "yes", "", "", "", "not tried")
    if found.is_good:
        return (name, "yes", "yes", "yes", "yes", "")
    if found.error.startswith("ImageError"):
        return (name, "yes", "no", "", "", found.error)
    pays_nothing = found.error.startswith("doing nothing")
    return (name, "yes", "yes", "yes" if pays_nothing else "no", "no" if pays_nothing else "", found.error)


def _short(error: str, folder: str) -> str:
    """Return *error* for a cell of a table: without what it says in every row, and without this machine's paths."""
    text = re.sub(r"^\w+Error: (\S+ cannot be (judged|tried) .*?: )?", "", error).replace(f"{Path(folder)}/", "")
    text = " ".join(text.partition("; its tests may need")[0].replace("|", "/").split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


if __name__ == "__main__":
    main()
