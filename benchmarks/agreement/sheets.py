"""Write the chosen episodes out to be read: request, actions, what they showed and changed. No scores, no golds.

`python -m benchmarks.agreement.sheets FOLDER` writes FOLDER/{bash,sql}-NN.md, a folder with the file systems, and the
databases as SQLite files, so that a reader can look things up. They hold published text: keep them to yourself.
"""

from __future__ import annotations

import argparse
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.agreement import endings
from benchmarks.agreement.endings import Difference, Ending, Step
from benchmarks.agreement.episodes import World, chosen
from intercode.audit.replay.world_state import StateItem
from intercode.types import Task
from intercode.worlds.sql.databases.dialect.access_level import access_level
from intercode.worlds.sql.databases.sqlite.database_files import DatabaseFiles
from intercode_sandbox.util import paths

A_SHEET = 50
"""Episodes of one sheet."""

LAST = 3
"""Turns that are shown of every episode; earlier ones only where they may have changed something."""

CHARACTERS, LINES = 6000, 120
"""Of one text."""

ROWS = 40
"""Of a result."""


def main() -> None:
    """Write all sheets."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement.sheets", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--world", choices=("bash", "sql"), action="append")
    options = parser.parse_args()
    worlds: Sequence[World] = options.world or ("bash", "sql")
    (options.folder / "sheets").mkdir(parents=True, exist_ok=True)
    for world in worlds:
        write(world, options.folder / "sheets")
    file_systems(options.folder / "file-systems")
    databases(options.folder / "databases")


def write(world: World, folder: Path) -> None:
    """The sheets of *world*."""
    episodes, dataset = chosen(world), endings.load(world)
    with endings.world(world, dataset) as open_env:
        played = endings.play_all(episodes, open_env, looking=True, on_done=endings.progress(world))
    for number, start in enumerate(range(0, len(played), A_SHEET), 1):
        parts = [sheet(each, dataset.find(each.episode.task)) for each in played[start : start + A_SHEET]]
        (folder / f"{world}-{number:02}.md").write_text("\n\n".join(parts), "utf-8", errors="backslashreplace")


def sheet(ending: Ending, task: Task) -> str:
    """Return one episode for a reader."""
    where = f"database `{task.extra['db']}`" if task.world == "sql" else f"file system {task.extra['file_system']}"
    return "\n\n".join(
        [
            f"# {ending.episode.id}",
            f"**Request** ({where}): {task.query}",
            *_steps(ending),
            *(_sql(ending) if task.world == "sql" else _bash(ending)),
        ]
    )


def _steps(ending: Ending) -> Iterator[str]:
    """Yield the last turns, and earlier ones that did more than read.

    Not how many were left out, which tells of success.
    """
    is_sql = ending.episode.world == "sql"
    first = len(ending.steps) - (1 if is_sql else LAST)
    for place, step in enumerate(ending.steps):
        if place >= first or (access_level(step.action) != "read" if is_sql else _may_change(step.action)):
            yield _step(step, "last action" if place == len(ending.steps) - 1 else "action", shows=not is_sql)


def _step(step: Step, name: str, *, shows: bool) -> str:
    ran = f"**{name}**\n\n{_fenced(step.action)}"
    return f"{ran}\n\nshowed\n\n{_fenced(step.observation)}" if shows else ran


WRITERS = (
    "rm",
    "mv",
    "cp",
    "mkdir",
    "touch",
    "chmod",
    "chown",
    "ln",
    "tar",
    "zip",
    "sed -i",
    "tee",
    "cd ",
    ">",
    "rsync",
)


def _may_change(action: str) -> bool:
    return any(word in action for word in WRITERS)


def _sql(ending: Ending) -> Iterator[str]:
    result = ending.rows
    if result is None:
        yield "**answer**: no statement was run"
    elif result.error is not None:
        yield f"**answer**: {result.error}"
    elif result.rows is None:
        yield f"**answer**: no rows ({result.affected} rows changed)"
    else:
        cut = f", the first {ROWS}" if len(result.rows) > ROWS else ""
        rows = "\n".join(map(repr, result.rows[:ROWS]))
        yield f"**answer**: {len(result.rows)} rows{cut}; columns {', '.join(result.columns)}\n\n{_fenced(rows)}"
    yield from _changes(ending)


def _bash(ending: Ending) -> Iterator[str]:
    if not ending.differences:
        yield "**changed**: nothing"
    yield from _changes(ending)


def _changes(ending: Ending) -> Iterator[str]:
    for each in ending.differences:
        yield f"**changed** {each.kind} `{each.name}`: {_difference(each)}"


def _difference(change: Difference) -> str:
    if change.before is None:
        return f"new, {_item(change.after)}"
    if change.after is None:
        return f"gone ({change.before.about})"
    return f"was {_item(change.before)}\n\nis now {_item(change.after)}"


def _item(item: StateItem | None) -> str:
    if item is None:
        return "not there"
    return f"{item.about}" + (f"\n\n{_fenced(item.text)}" if item.text else "")


def _fenced(text: str) -> str:
    lines = text.split("\n")
    cut = "\n".join(lines[:LINES])[:CHARACTERS]
    left = f"\n[{len(text) - len(cut)} more characters, {len(lines)} lines in all]" if len(cut) < len(text) else ""
    return f"~~~~\n{cut}{left}\n~~~~"


def file_systems(folder: Path) -> None:
    """The published trees as folders: fs_1 and so on, with owners and links as they are."""
    for path in sorted((paths.data() / "nl2bash").glob("fs_*.tar.gz")):
        with tarfile.open(path) as archive:
            archive.extractall(folder / path.name.partition(".")[0], filter="tar")


def databases(folder: Path) -> None:
    """The published databases as files of SQLite."""
    folder.mkdir(parents=True, exist_ok=True)
    dataset = endings.load("sql")
    files = DatabaseFiles(dataset.source(dataset[0]), lambda line: None).files
    for name in {dataset.database(task) for task in dataset}:
        shutil.copy(files[name], folder)


if __name__ == "__main__":
    main()
