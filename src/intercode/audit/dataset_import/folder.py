"""The folder that an imported data set becomes: a task of one's own, with the report beside it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from intercode import world_specs
from intercode.datasets.databases import database_files
from intercode.datasets.folder.paths import inside
from intercode.datasets.formats import record_of
from intercode.datasets.task_folder import REFUSED
from intercode.errors import IntercodeError, UserError
from intercode.types import Task

REPORT = "fidelity.json"


@contextmanager
def draft(target: Path) -> Iterator[Path]:
    """Provide a folder beside *target* that becomes it when all has gone well, and is gone else.

    Raises:
        UserError: If *target* is there already, or cannot be made.
    """
    if target.exists():
        raise UserError(f"{target} already exists: choose another --out")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        folder.chmod(0o755)
    except OSError as error:
        raise UserError(f"cannot make {target}: {error.strerror}; choose another --out") from error
    try:
        yield folder
        folder.rename(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def name_originals(folder: Path, target: Path, *, files: Path | None, databases: Path | None) -> Iterator[None]:
    """Let errors about what lies in *folder*, a draft that its user never sees, name what it is a copy of.

    Args:
        folder: The draft.
        target: What it would have become.
        files: What was copied into its `files`.
        databases: What was copied into it.
    """
    try:
        yield
    except IntercodeError as error:
        said = str(error)
        for copy, original in ((folder / "files", files), (folder, databases or target)):
            for path in (copy.resolve(), copy) if original else ():
                said = said.replace(str(path), str(original))
        if said == str(error):
            raise
        raise type(error)(said) from error


def fill(folder: Path, *, world: str, image: str, source: str, files: Path | None, databases: Path | None) -> None:
    """All of the folder but its tasks: `task.toml`, and copies of *files*, of *databases*, and of a *world* in a file.

    Raises:
        UserError: If a folder or a database is missing or cannot be copied, or *world* cannot go with what is
            imported.
    """
    material = world_specs.find(world).material
    if material in REFUSED:
        raise UserError(f"--world {world}: {REFUSED[material].format(world=world)}")
    if material == "databases" and databases is None:
        raise UserError("statements need a database: name a folder of .sqlite or .sql files with --databases")
    for option, place in (("--files", files), ("--databases", databases)):
        if place is not None and not place.is_dir():
            raise UserError(f"{option} {place}: there is no such folder")
    own = Path(world) if world.endswith(".py") else None
    lines = [f"# Made of {source} by intercode import; {REPORT} tells of each record what became of it.", ""]
    lines.append(f"world = {json.dumps(own.name if own else world)}")
    if material != "databases":
        lines.append(f"image = {json.dumps(image)}")
    (folder / "task.toml").write_text("\n".join([*lines, 'scoring = "exact"', ""]), encoding="utf-8")
    try:
        if files is not None:
            shutil.copytree(files, folder / "files", symlinks=True)
        if databases is not None:
            _copy_databases(databases, folder)
        if own is not None:
            shutil.copyfile(own, folder / own.name)
    except (OSError, shutil.Error) as error:
        raise UserError(f"cannot copy {files or databases or own}: {error}") from error


def _copy_databases(source: Path, folder: Path) -> None:
    """Copy the databases in *source*, and nothing that lies beside them: a `reward.py` there would run in *folder*."""
    for path in database_files(source):
        place = path.relative_to(source)
        (folder / place).parent.mkdir(exist_ok=True)
        shutil.copyfile(inside(source, str(place)), folder / place)


def write_tasks(folder: Path, tasks: Sequence[Task]) -> None:
    """`tasks.jsonl`: the *tasks* with all of their columns, each under the id that it had."""
    lines = [json.dumps(record_of(task), default=str, ensure_ascii=False) for task in tasks]
    text = "".join(f"{line}\n" for line in lines)
    # What is no Unicode text, half a character, comes out as JSON's own escape for it.
    (folder / "tasks.jsonl").write_text(text, encoding="utf-8", errors="backslashreplace")


def write_report(folder: Path, report: dict[str, Any]) -> None:
    """The report, for programs and for people."""
    (folder / REPORT).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
