"""What a reader writes beside a run: bookmarks, notes and tags, in a file of the run's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from intercode.errors import BadDataError, MachineError
from intercode.util.atomic_write import write_text
from intercode.util.decoding import decode
from intercode.util.regular_files import read_bytes

NAME = "notes.json"

LARGEST = 1 << 20
"""Bytes of all notes of a run."""


class Note(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What is noted of one episode."""

    bookmark: bool = False
    text: str = ""
    tags: list[str] = []

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to keep."""
        return not (self.bookmark or self.text or self.tags)


Notes = dict[str, Note]
"""By episode: the task's id, `:` and the repeat."""


def read(folder: Path) -> Notes:
    """Return the notes of the run in *folder*; none where there is no such file.

    Raises:
        BadDataError: If the file cannot be read.
    """
    path = folder / NAME
    try:
        return decode(read_bytes(path, within=folder), Notes)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadDataError(f"cannot read {path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadDataError(f"cannot read {path}: {error}") from error


def write(folder: Path, episode: str, data: bytes) -> Notes:
    """Keep *data*, a note as JSON, of *episode*, and return all of them.

    Raises:
        BadDataError: If it is no note, or there is no room for it.
        MachineError: If it cannot be stored.
    """
    try:
        note = decode(data, Note)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadDataError(f"not a note: {error}") from error
    notes = read(folder)
    notes.pop(episode, None)
    if not note.is_empty:
        notes[episode] = note
    text = json.dumps(plain(notes), indent=1)
    if len(text) > LARGEST:
        raise BadDataError(f"the notes of a run have room for {LARGEST >> 20} MiB: shorten some")
    try:
        write_text(folder / NAME, text + "\n", durable=True)
    except OSError as error:
        raise MachineError(f"cannot write {folder / NAME}: {error.strerror}; notes are kept beside the run") from error
    return notes


def plain(notes: Notes) -> dict[str, Any]:
    """Return *notes* as dictionaries."""
    found = msgspec.to_builtins(notes)
    assert isinstance(found, dict)
    return found
