"""The labels that readers gave: two readings, and a third where those differ.

    python -m benchmarks.agreement.labels unsettled FOLDER   writes FOLDER/sheets/settle-NN.md for the third reader
    python -m benchmarks.agreement.labels collect FOLDER     checks FOLDER/labels/{A,B,C}/*.jsonl and stores them here

What is stored are ids, labels, and reasons in the readers' own words: a reason that quotes its request is refused.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import msgspec

from benchmarks.agreement.episodes import INDEX, Episode, World, chosen
from benchmarks.agreement.sheets import A_SHEET

Label = Literal["done", "arguably", "not done"]
LABELS: tuple[Label, ...] = get_args(Label)
Reader = Literal["A", "B", "C"]
READERS: tuple[Reader, ...] = get_args(Reader)

FOLDER = INDEX.with_name("labels")

QUOTED = 7
"""Words in a row that make a quotation."""


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one reader says of one episode."""

    id: str
    label: Label
    reason: str


Readings = Mapping[str, Reading]


@dataclass(frozen=True, slots=True)
class Labels:
    """All readings of a world's episodes, by reader and id."""

    by_reader: Mapping[Reader, Readings]

    @property
    def both(self) -> list[str]:
        """The episodes that the first two readers have read."""
        first, second = self.by_reader["A"], self.by_reader["B"]
        return [id for id in first if id in second]

    @property
    def unsettled(self) -> list[str]:
        """Those on which they differ and the third has not decided."""
        return [id for id in self.both if self.settled(id) is None]

    def settled(self, id: str) -> Label | None:
        """Return the label that both gave, or else the third's; None where there is none yet."""
        first, second, third = (self.by_reader[reader].get(id) for reader in READERS)
        if first is not None and second is not None and first.label == second.label:
            return first.label
        return None if third is None else third.label


def stored(world: World, folder: Path = FOLDER) -> Labels:
    """Return what is stored of *world*; nobody has read what is not there.

    Raises ValueError for a line that is malformed.
    """
    return Labels({reader: _read(folder / f"{world}-{reader}.jsonl") for reader in READERS})


def collect(world: World, folder: Path) -> Labels:
    """Return the labels in *folder*, checked. Raises ValueError naming what is wrong."""
    queries = {each.id: each.recorded.query for each in chosen(world)}
    found: dict[Reader, Readings] = {}
    for reader in READERS:
        readings: dict[str, Reading] = {}
        for path in sorted((folder / reader).glob("*.jsonl")):
            for id, reading in _read(path).items():
                if id in queries:
                    _check(reading, queries[id], path)
                    if readings.setdefault(id, reading) != reading:
                        raise ValueError(f"{path}: {id} was read twice")
        found[reader] = readings
    return Labels(found)


def _check(reading: Reading, query: str, path: Path) -> None:
    if not reading.reason.strip():
        raise ValueError(f"{path}: {reading.id} has no reason")
    if quoted := _quotation(reading.reason, query):
        raise ValueError(f"{path}: the reason of {reading.id} quotes the request: {quoted!r}")


def _quotation(reason: str, query: str) -> str:
    words, request = re.findall(r"\w+", reason.lower()), re.findall(r"\w+", query.lower())
    runs = {tuple(request[at : at + QUOTED]) for at in range(len(request) - QUOTED + 1)}
    found = (words[at : at + QUOTED] for at in range(len(words) - QUOTED + 1))
    return next((" ".join(run) for run in found if tuple(run) in runs), "")


def _read(path: Path) -> dict[str, Reading]:
    found: dict[str, Reading] = {}
    for number, line in enumerate(path.read_bytes().splitlines() if path.is_file() else (), 1):
        try:
            reading = msgspec.json.decode(line, type=Reading)
        except msgspec.MsgspecError as error:
            raise ValueError(f"{path}: line {number}: {error}") from error
        if reading.id in found:
            raise ValueError(f"{path}: line {number}: {reading.id} is there twice")
        found[reading.id] = reading
    return found


def settling_sheets(labels: Mapping[World, Labels], folder: Path) -> Iterator[str]:
    """Sheets of the unsettled episodes, each with both readings in random order and without names."""
    dice = random.Random(0)
    for world, each in labels.items():
        pages = {page.partition("\n")[0]: page for path in folder.glob(f"{world}-*.md") for page in _pages(path)}
        for id in each.unsettled:
            readings = [each.by_reader[reader][id] for reader in ("A", "B")]
            dice.shuffle(readings)
            said = "\n".join(f"- one reader: **{reading.label}**: {reading.reason}" for reading in readings)
            yield f"# {pages[id].strip()}\n\n{said}\n"


def _pages(path: Path) -> Sequence[str]:
    """Return the episodes of a sheet, each from its id on.

    A line of a text that looks like a heading is none of a sheet's.
    """
    return re.split(r"^# (?=(?:bash|sql)-\d+-\d+f?$)", path.read_text("utf-8"), flags=re.MULTILINE)[1:]


def missing(labels: Labels, episodes: Sequence[Episode]) -> int:
    """Return how many of *episodes* have not been read by both."""
    return len({each.id for each in episodes} - set(labels.both))


def main() -> None:
    """Do one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("unsettled", "collect"))
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    worlds: tuple[World, ...] = get_args(World)
    found: dict[World, Labels] = {world: collect(world, options.folder / "labels") for world in worlds}
    for world, labels in found.items():
        unread, open_ones = missing(labels, chosen(world)), len(labels.unsettled)
        print(f"{world}: {len(labels.both)} read by both, {unread} not yet; {open_ones} unsettled", file=sys.stderr)
    if options.what == "unsettled":
        sheets = options.folder / "sheets"
        pages = list(settling_sheets(found, sheets))
        for number, start in enumerate(range(0, len(pages), A_SHEET), 1):
            (sheets / f"settle-{number:02}.md").write_text("\n".join(pages[start : start + A_SHEET]), "utf-8")
    else:
        FOLDER.mkdir(exist_ok=True)
        for world, labels in found.items():
            for reader, readings in labels.by_reader.items():
                lines = [msgspec.json.encode(each).decode() + "\n" for _, each in sorted(readings.items())]
                (FOLDER / f"{world}-{reader}.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
