"""Data sets of the Hugging Face hub, or folders laid out like them, read by its own library: a large extra."""

from __future__ import annotations

from os.path import isfile, join
from typing import Any

from intercode.datasets.formats.record import Record
from intercode.errors import BadDataError, UserError


def read_hugging_face(name: str, *, split: str = "") -> list[Record]:
    """Return the records of one *split* of the data set *name* ("": the only one).

    `OWNER/NAME:CONFIG` says which of several.

    A folder may be laid out as at the hub, or be what `save_to_disk` made.

    Raises:
        UserError: If the library is not installed.
        BadDataError: For what it cannot find or read.
    """
    try:
        from datasets.exceptions import DatasetsError

        from datasets import load_dataset, load_from_disk
    except ImportError as error:
        way_out = "pip install 'intercode-env[hf]'"
        raise UserError(f"{name}: data sets of Hugging Face need a library: {way_out}") from error
    repository, _, config = name.partition(":")
    try:
        found: Any = {"": load_from_disk(name)} if _is_saved(name) else load_dataset(repository, config or None)
    except (OSError, ValueError, DatasetsError) as error:
        raise BadDataError(f"{name} cannot be read from the Hugging Face hub: {error}") from error
    if len(found) > 1 and not split:
        raise BadDataError(f"{name} has several splits: name one (--split, or hf:NAME:SPLIT): {', '.join(found)}")
    if split and split not in found:
        raise BadDataError(f"{name} has no split {split!r}; there are: {', '.join(filter(None, found)) or 'none'}")
    rows = found[split or next(iter(found))]
    return [
        Record(f"row {number}", {column: value for column, value in row.items() if value is not None})
        for number, row in enumerate(rows)
    ]


def _is_saved(folder: str) -> bool:
    """Return whether `save_to_disk` wrote one data set, without splits, into *folder*."""
    return isfile(join(folder, "state.json")) and isfile(join(folder, "dataset_info.json"))
