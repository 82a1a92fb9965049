"""Tasks from a file of your own: JSON, JSON lines, CSV, TSV, parquet, and pickle when asked for by name."""

from __future__ import annotations

from hashlib import sha256
from os import PathLike
from pathlib import Path

from intercode.datasets.base import ListedDataset
from intercode.datasets.formats import read_records, stem, tasks_from
from intercode.datasets.formats.notes import notes_on
from intercode.types import DEFAULT_WORLD


class FilesDataset(ListedDataset):
    """The records of one file, each at least a query.

    *query* and *gold* name the columns that hold the request and its answer. Both may be parts of columns
    (`reward_model.ground_truth`) or conversations. *golds* names the column with a list of golds of which each is
    right; a blank gold is none. The columns `id`, `category`, `difficulty`, `alternative_golds`, `criteria` and
    `known_issue` are understood, all others go to `Task.extra`. Ids are `NAME/INDEX` unless the records bring their own
    (a column `id`, or the keys of a JSON object); *name* is the file's without its ending, unless given.

    The tasks are for *world*; those for the Python world bring their hidden tests (see `docs/how-to/python.md`).

    *format* is json, jsonl, csv, tsv, parquet or pickle; None goes by the file's ending. A pickle is refused (Unsafe)
    unless *format* says so or *allow_pickle* is set, since reading one runs the code in it.

    Raises:
        BadDataError: For everything else that cannot be understood. Names the file, the line or record, and the field.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        name: str | None = None,
        query: str = "query",
        gold: str = "gold",
        golds: str = "golds",
        allow_pickle: bool = False,
        world: str = DEFAULT_WORLD,
    ) -> None:
        self.path = Path(path)
        self.name = name or stem(self.path)
        self.world = world
        records, data = read_records(self.path, format=format, allow_pickle=allow_pickle)
        self._checksum = sha256(data).hexdigest()
        self._tasks = tasks_from(records, self.path, name=self.name, query=query, gold=gold, golds=golds, world=world)
        self.notes = notes_on(self._tasks, records, gold=gold, golds=golds)
