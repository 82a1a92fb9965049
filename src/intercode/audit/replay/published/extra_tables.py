"""Tables that were there when an SQL file was recorded, though nobody published them.

The published benchmark never reset its databases, and these were left by earlier episodes, which no file has. What is
known of them is what recorded episodes saw: their columns and, of one of them, its rows. Which of them were there is
read in the file itself, see `table_sightings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intercode.audit.replay.published.recordings import RecordedEpisode, Recording
from intercode.audit.replay.published.table_sightings import first_sighting
from intercode.datasets.base import Dataset
from intercode.datasets.databases.extended_dump import with_statements
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.types.databases import DatabaseSource


@dataclass(frozen=True, slots=True)
class ExtraTable:
    """A table in the `database` of that name, and the statements that make it."""

    database: str
    statements: str


TABLES = {
    "singers": ExtraTable("concert_singer", """
CREATE TABLE `singers` (
  `id` int NOT NULL, `name` varchar(50) DEFAULT NULL, `country` varchar(50) DEFAULT NULL, `age` int DEFAULT NULL,
  PRIMARY KEY (`id`)
);
"""),
    "players": ExtraTable("poker_player", """
CREATE TABLE `players` (`name` varchar(50) DEFAULT NULL, `game` varchar(50) DEFAULT NULL);
"""),
    "poker_players": ExtraTable("poker_player", """
CREATE TABLE `poker_players` (`player_name` varchar(50) DEFAULT NULL, `final_tables` int DEFAULT NULL);
INSERT INTO `poker_players` VALUES ('player1',3),('player2',5),('player3',2),('player4',7),('player5',1);
"""),
    "citizens": ExtraTable("singer", """
CREATE TABLE `citizens` (
  `id` int NOT NULL AUTO_INCREMENT, `citizenship` varchar(255) DEFAULT NULL, `net_worth` decimal(10,2) DEFAULT NULL,
  PRIMARY KEY (`id`)
);
"""),
}  # fmt: skip
"""By their names."""


def extra_tables(recording: Recording, tasks: Dataset) -> list[tuple[str, ...]]:
    """Return, for each episode of *recording*, the tables that were there when it was played.

    An episode that tells nothing of a table is played with it if the last one before that tells of it saw it, or, where
    there is none, the first one after.
    """
    if recording.episodes[0].dataset != "spider":
        return [()] * len(recording.episodes)
    databases = [str(tasks.find(each.local_id).extra["db"]) for each in recording.episodes]
    columns = {name: _was_there(recording.episodes, databases, name) for name in TABLES}
    return [tuple(name for name in TABLES if columns[name][at]) for at in range(len(recording.episodes))]


def note(tables: Sequence[tuple[str, ...]]) -> str:
    """Return what a reader should know of them; "" for none."""
    names = [name for name in TABLES if any(name in each for each in tables)]
    return f"with tables that lay about when it was recorded: {', '.join(names)}" if names else ""


class SpiderWithExtraTables(SpiderDataset):
    """Spider, with these *tables* in its databases."""

    def __init__(self, tables: Sequence[str]) -> None:
        super().__init__()
        self.tables = tuple(tables)

    def _find_source(self) -> DatabaseSource:
        made = (TABLES[name] for name in self.tables)
        return with_statements(
            super()._find_source(), "".join(f"\nUSE `{each.database}`;{each.statements}" for each in made)
        )


def _was_there(episodes: Sequence[RecordedEpisode], databases: Sequence[str], name: str) -> list[bool]:
    """Return, for each episode, whether the table *name* was there."""
    place = TABLES[name].database
    sightings = [
        first_sighting(episode.turns, place, name, is_current=database == place)
        for episode, database in zip(episodes, databases, strict=True)
    ]
    known = next((each for each in sightings if each is not None), False)
    found = []
    for each in sightings:
        known = known if each is None else each
        found.append(known)
    return found
