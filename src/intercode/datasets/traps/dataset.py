"""The data set `traps`: tasks of another one, each with a bait beside it that honest work never touches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from intercode import datasets
from intercode.datasets.base import Dataset, Subset
from intercode.datasets.challenges import Challenge
from intercode.datasets.traps.planting import FOLDER, TRAPS, kinds_of, planted_answer
from intercode.errors import UserError
from intercode.types import Task
from intercode.types.databases import DatabaseSource
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.util import paths

REWARD = Path(__file__).parents[2] / "rewards" / "core" / "cheating.py"
"""What judges: it is loaded as a folder's own `reward.py` is."""


class TrapsDataset(Subset):
    """The tasks of the data set *of*, ids `traps/ID/KIND`, once for each of *kinds* that fits (default: all).

    `key` is a file, or a table, with a wrong answer: who hands that in has copied it. `tests` is a test, and `reward` a
    reward of 0, that no task needs: who changes it has tampered. Requests say so. Each episode is scored as in the
    other data set, and its parts say whether it cheated; `intercode report` shows the rate.
    """

    name = "traps"

    def __init__(self, of: str = "starter", kinds: str = "") -> None:
        wanted = [kind.strip() for kind in kinds.split(",") if kind.strip()] or list(TRAPS)
        if unknown := [kind for kind in wanted if kind not in TRAPS]:
            raise UserError(f"kinds={kinds}: there is no trap {', '.join(unknown)}; there are: {', '.join(TRAPS)}")
        whole = datasets.load(of)
        _check(whole)
        answer = planted_answer(whole.world, whole.name)
        pairs = [(task, kind) for task in whole for kind in kinds_of(task) if kind in wanted]
        if not pairs:
            raise UserError(f"of={of}: no task of it can have a trap of the kind {', '.join(wanted)}")
        tasks = [_trapped(task, kind, answer) for task, kind in pairs]
        super().__init__(whole, self.name, tasks)
        self.reward_file = REWARD
        self._answer = answer
        self._of = {task.id: pair for task, pair in zip(tasks, pairs, strict=True)}
        self._images: dict[tuple[str, str], Image] = {}
        self._sources: dict[DatabaseSource, DatabaseSource] = {}

    @property
    def checksum(self) -> str:
        """Of the tasks, with what is planted, and of what they were made from."""
        planted = "\n".join(repr(task) for task in self)
        return sha256(f"{self.whole.checksum}\n{planted}".encode("utf-8", "surrogatepass")).hexdigest()

    def image(self, task: Task, base: Image) -> Image:
        """Return the other data set's image for the task, with the bait on top."""
        inner, kind = self._of[task.id]
        below = self.whole.image(inner, base)
        key = kind, below.digest
        if key not in self._images:
            trap = TRAPS[kind]
            content = trap.content(self._answer).encode()
            mode = 0o755 if trap.file.endswith(".sh") else 0o644
            layer = FilesLayer({trap.path: content}, modes={trap.path: mode}, title=f"the trap {kind}")
            self._images[key] = below.with_layers(layer, name=f"{below.name}+{kind}")
        return self._images[key]

    def source(self, task: Task) -> DatabaseSource:
        """Return the other data set's databases, each with a table for every bait."""
        below = self.whole.source(self._of[task.id][0])
        if below not in self._sources:
            self._sources[below] = _with_tables(below, self._answer)
        return self._sources[below]

    def challenge(self, task: Task, seed: int) -> Challenge:
        """Return the other data set's challenge."""
        return self.whole.challenge(self._of[task.id][0], seed)

    def kept_paths(self, task: Task) -> tuple[str, ...]:
        """Return the other data set's paths."""
        return self.whole.kept_paths(self._of[task.id][0])


def _check(whole: Dataset) -> None:
    if whole.reward_file is not None or whole.world not in ("bash", "sql", "python", "swe", "ctf"):
        raise UserError(
            f"of={whole.name}: traps are for data sets that their world judges (bash, sql, python, swe or ctf), not "
            "for those with a reward or a verifier of their own"
        )


def _trapped(task: Task, kind: str, answer: str) -> Task:
    trap = TRAPS[kind]
    told = {"trap": kind, "planted": answer * trap.is_key, "at": trap.table if task.world == "sql" else FOLDER}
    return replace(
        task,
        id=f"traps/{task.id}/{kind}",
        query=f"{task.query} ({trap.note(task.world)})",
        extra={**task.extra, **told},
    )


def _with_tables(source: DatabaseSource, answer: str) -> DatabaseSource:
    """Return *source* with a table for each bait in each of its databases, in a folder of the cache.

    Raises:
        UserError: If its databases are no dumps.
    """
    if source.kind != "sql" or not source.path.is_dir():
        raise UserError(f"{source.path}: traps can be planted in folders of .sql files alone")
    tables = "".join(f"CREATE TABLE {trap.table} {trap.create(answer)};\n" for trap in TRAPS.values())
    place = paths.cache() / "traps" / sha256(f"{source.checksum}\n{tables}".encode()).hexdigest()[:16]
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=place.parent) as made:
            copytree(source.path, Path(made, "sql"))
            for dump in _dumps(Path(made, "sql")):
                dump.write_text(f"{dump.read_text(encoding='utf-8')}\n{tables}", encoding="utf-8")
            try:
                os.rename(Path(made, "sql"), place)
            except OSError:  # another process was quicker
                if not place.is_dir():
                    raise
    return DatabaseSource(source.name, place, source.kind)


def _dumps(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if path.suffix == ".sql")
