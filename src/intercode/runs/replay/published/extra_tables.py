"""Tables that were there when the SQL files were recorded, though nobody published them.

The published benchmark never reset its databases, and these were left by earlier episodes, which no file has. What is
known of them is what recorded episodes saw: their columns and, of one of them, its rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from intercode.databases.base import DatabaseSource
from intercode.datasets.spider import SpiderDataset
from intercode.datasets.sql.extended_dump import with_statements
from intercode.runs.replay.published.recordings import Recording

TABLES = {
    "singers": """
USE `concert_singer`;
CREATE TABLE `singers` (
  `id` int NOT NULL, `name` varchar(50) DEFAULT NULL, `country` varchar(50) DEFAULT NULL, `age` int DEFAULT NULL,
  PRIMARY KEY (`id`)
);
""",
    "players": """
USE `poker_player`;
CREATE TABLE `players` (`name` varchar(50) DEFAULT NULL, `game` varchar(50) DEFAULT NULL);
""",
    "poker_players": """
USE `poker_player`;
CREATE TABLE `poker_players` (`player_name` varchar(50) DEFAULT NULL, `final_tables` int DEFAULT NULL);
INSERT INTO `poker_players` VALUES ('player1',3),('player2',5),('player3',2),('player4',7),('player5',1);
""",
    "citizens": """
USE `singer`;
CREATE TABLE `citizens` (
  `id` int NOT NULL AUTO_INCREMENT, `citizenship` varchar(255) DEFAULT NULL, `net_worth` decimal(10,2) DEFAULT NULL,
  PRIMARY KEY (`id`)
);
""",
}
"""What makes each of them."""


def extra_tables(recording: Recording) -> tuple[str, ...]:
    """Those that were there when *recording* was made.

    As SHOW TABLES and errors in it say: throughout ReAct `citizens` is not listed, and where the model had one turn
    only `singers` and `players` do not exist.
    """
    if recording.episodes[0].dataset != "spider":
        return ()
    if recording.harness == "react":
        return ("singers", "players", "poker_players")
    if all(len(episode.turns) <= 1 for episode in recording.episodes):
        return ("poker_players",)
    return tuple(TABLES)


def note(tables: Sequence[str]) -> str:
    """What a reader should know of them; "" for none."""
    return f"with tables that lay about when it was recorded: {', '.join(tables)}" if tables else ""


class SpiderWithExtraTables(SpiderDataset):
    """Spider, with these *tables* in its databases."""

    def __init__(self, tables: Sequence[str]) -> None:
        super().__init__()
        self.tables = tuple(tables)

    def _find_source(self) -> DatabaseSource:
        return with_statements(super()._find_source(), "".join(TABLES[name] for name in self.tables))
