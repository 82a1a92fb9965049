"""Generated tasks as files: JSON lines, parquet, a hash list, and a card that says what they are."""

from __future__ import annotations

import errno
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from intercode import __version__
from intercode.datasets.formats.record import as_text, bytes_of
from intercode.errors import BadDataError, MachineError, UserError
from intercode.types import Task
from intercode.util.atomic_write import check_writable, write_bytes, write_text
from intercode.util.regular_files import open_regular
from intercode_generate.certify.overlap import text_hash
from intercode_generate.dataset import GeneratedDataset
from intercode_generate.maker import CANARY, Maker, Recipe

LEAST_BATCHES = 8
"""Batches from which on processes are worth their start."""


@dataclass(frozen=True)
class WrittenTasks:
    """What was written: the *files*, and what is among the tasks."""

    files: tuple[Path, ...]
    tasks: int
    families: Counter[str] = field(default_factory=Counter)
    difficulties: Counter[str] = field(default_factory=Counter)
    steps: Counter[int] = field(default_factory=Counter)


def write(
    dataset: GeneratedDataset[Any],
    out: Path,
    *,
    keep: Callable[[Task], bool] = lambda task: True,
    step: Callable[[int], None] = lambda done: None,
    processes: int = 1,
) -> WrittenTasks:
    """Write the tasks for which *keep* holds beside *out*, whose ending is replaced; *step* hears how many were made.

    They are made by so many *processes*, and are the same for any number of them.

    There will be `.jsonl`, `.parquet`, `.sha256` (a digest of each text, for who wants to find them in a corpus) and
    `.md` (the card).

    Raises:
        UserError: If pyarrow is not installed, *out* names no file, one cannot be written there, or the tasks or the
            card would replace something else.
        MachineError: If there is no room for one in the end.
    """
    _check_pyarrow()
    paths = _paths_beside(out)
    for path in paths.values():
        check_writable(path)
    _check_replaced(paths["md"], "a data card")
    _check_replaced(paths["jsonl"], "a file of generated tasks")
    records: list[dict[str, Any]] = []
    families, difficulties, steps = Counter[str](), Counter[str](), Counter[int]()
    hashes: list[str] = []
    for done, task in enumerate(make_tasks(dataset, processes), 1):
        step(done)
        if not keep(task):
            continue
        records.append(record(task))
        hashes.append(text_hash(task))
        families[task.extra["family"]] += 1
        difficulties[task.difficulty] += 1
        steps[task.extra["steps"]] += 1
    found = WrittenTasks(tuple(paths.values()), len(records), families, difficulties, steps)
    try:
        _write_parquet(records, paths["parquet"])
        write_text(paths["jsonl"], "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records))
        write_text(paths["sha256"], "".join(f"{digest}\n" for digest in sorted(hashes)))
        write_text(paths["md"], card(dataset, found))
    except OSError as error:
        raise MachineError(f"cannot write {out}: {os.strerror(error.errno or errno.EIO)}; make room there") from error
    return found


def _paths_beside(out: Path) -> dict[str, Path]:
    """Return the files to write, by their endings.

    Raises:
        UserError: If *out* names no file: they would be hidden, and called by their endings alone.
    """
    stem = out.with_suffix("") if out.suffix in (".jsonl", ".parquet") else out
    if stem.name in ("", ".."):
        raise UserError(f"--out {out} names no file, but a folder: name a file in it, such as {out / 'tasks'}")
    return {suffix: stem.parent / f"{stem.name}.{suffix}" for suffix in ("jsonl", "parquet", "sha256", "md")}


def _check_replaced(path: Path, kind: str) -> None:
    """Look that *path* replaces nothing but what was written here: `--out README` would replace README.md.

    Raises:
        UserError: If it would replace something else than *kind*, or nobody can say.
    """
    try:
        is_ours = not path.exists() or path.stat().st_size == 0 or CANARY.encode() in _beginning(path)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; name another file with --out") from error
    if not is_ours:
        raise UserError(f"{path} is not {kind} and would be replaced by one; name another file with --out")


def _beginning(path: Path) -> bytes:
    """Enough of a file for its first task, or for a whole card."""
    with open_regular(path) as file:
        return file.read(1 << 20)


def make_tasks(dataset: GeneratedDataset[Any], processes: int) -> Iterator[Task]:
    """Yield the tasks of *dataset* in their order, made by so many processes where they are many enough for that."""
    batches = -(-dataset.count // dataset.maker.size)
    if processes < 2 or batches < LEAST_BATCHES:
        yield from dataset
        return
    make = partial(_tasks_of, dataset.maker, dataset.recipe)
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        yield from islice(chain.from_iterable(pool.map(make, range(batches))), dataset.count)
    finally:
        pool.shutdown(cancel_futures=True)


def _tasks_of(maker: Maker[Any], recipe: Recipe, number: int) -> tuple[Task, ...]:
    """Return the tasks of one batch, without their world: it need not travel."""
    return maker.batch(recipe, number).tasks


def certificate_filter(path: Path | None, dataset: GeneratedDataset[Any]) -> Callable[[Task], bool]:
    """Return whether a task is among those that the certificate at *path* certifies; of None, every task is.

    Raises:
        BadDataError: For what is no certificate, or another data set's.
    """
    if path is None:
        return lambda task: True
    try:
        found = json.loads(as_text(bytes_of(path), path))
        ids, checksum = frozenset(found["ids"]), found["checksum"]
    except (ValueError, KeyError, TypeError) as error:
        raise BadDataError(f"{path} is not a certificate: intercode certify writes one") from error
    if checksum != dataset.checksum:
        raise BadDataError(f"{path} certifies other tasks: run intercode certify with the same options and version")
    return lambda task: task.id in ids


def record(task: Task) -> dict[str, Any]:
    """Return one line of the file; what it is judged by is in it, so it is no text to show to an agent."""
    return {
        "id": task.id,
        "query": task.query,
        "gold": task.gold,
        "category": task.category,
        "difficulty": task.difficulty,
        "criteria": list(task.criteria.names),
        **task.extra,
        "canary": CANARY,
    }


def card(dataset: GeneratedDataset[Any], found: WrittenTasks) -> str:
    """Return the data card, in Markdown."""
    recipe = dataset.recipe
    options = f"count={dataset.count} seed={recipe.seed} split={recipe.split}"
    options += f" difficulty={recipe.difficulty}" if recipe.difficulty else ""
    lines = [
        f"# {dataset.name}, split {recipe.split}, seed {recipe.seed}",
        "",
        f"{found.tasks} tasks for the world `{dataset.world}`, generated by intercode {__version__}. "
        "Nobody wrote them, and all names in them are invented.",
        "",
        f"- Made by: `{dataset.name}` with the options {options}; checksum `{dataset.checksum}`",
        "- Columns: `query` is what an agent is asked. All others are for the judge: `gold`, `second_gold` (another "
        "way to the same ending), `near_misses` (which must not pass), `criteria`, `family`, `phrasing`, `steps`",
        f"- Difficulty: {_counts(found.difficulties.items())}",
        f"- Steps: {_counts(sorted(found.steps.items()))}",
        f"- Families: {len(found.families)}",
        f"- Canary: `{CANARY}`. Do not train on test splits; a model that can say the canary has read these files",
        "- The file of digests (`.sha256`) has SHA-256 of each query, in small letters with single blanks",
        "",
        "| family | tasks |",
        "|---|---|",
        *(f"| {family} | {count} |" for family, count in sorted(found.families.items())),
    ]
    return "\n".join(lines) + "\n"


def _counts(counts: Iterable[tuple[object, int]]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts)


def _check_pyarrow() -> None:
    """Look for pyarrow, before the work that needs it in the end."""
    if find_spec("pyarrow") is None:
        raise UserError("writing parquet needs pyarrow: pip install 'intercode-env[parquet]'")


def _write_parquet(records: list[dict[str, Any]], path: Path) -> None:
    import pyarrow  # imported here: large, and needed for nothing else
    from pyarrow import parquet

    data = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_pylist(records), data)
    write_bytes(path, data.getvalue())
