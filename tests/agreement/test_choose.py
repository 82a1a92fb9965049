"""Which recorded episodes are read, and what a reader sees of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.agreement import sheets
from benchmarks.agreement.choose import draw
from benchmarks.agreement.endings import Difference, Ending, Step
from benchmarks.agreement.episodes import Episode, Stratum, chosen, recorded

from intercode.audit.replay.world_state import StateItem
from intercode.types import Score, Task
from intercode.types.databases import QueryResult

COUNTS: dict[Stratum, int] = {"scorings differ": 3, "both pay": 10, "neither pays": 20}
STRATA = [stratum for stratum, count in COUNTS.items() for _ in range(count)]
POOL = [Episode(f"bash-0-{number}", "bash", "file", number, stratum=each) for number, each in enumerate(STRATA)]
WANTED: dict[Stratum, int] = {"both pay": 5, "neither pays": 8}


def test_all_disagreements_are_drawn_and_of_the_rest_so_many_each_with_its_weight() -> None:
    found = draw(POOL, WANTED)
    weights = {name: {each.weight for each in found if each.stratum == name} for name in ("both pay", "neither pays")}
    assert sum(each.stratum == "scorings differ" and each.weight == 1 for each in found) == 3
    assert weights == {"both pay": {2.0}, "neither pays": {2.5}}
    assert sum(each.weight for each in found) == len(POOL)


def test_the_seed_decides() -> None:
    assert draw(POOL, WANTED) == draw(POOL, WANTED)
    assert [each.id for each in draw(POOL, WANTED)] != sorted(each.id for each in draw(POOL, WANTED))


def test_at_least_three_hundred_episodes_of_each_world_were_chosen(published_data: Path) -> None:
    for world in ("bash", "sql"):
        episodes = chosen(world)
        known = {each.id for each in recorded(world)}
        assert len({each.id for each in episodes}) == len(episodes) >= 300
        assert {each.id for each in episodes} <= known
        assert {each.stratum for each in episodes} >= {"scorings differ", "both pay", "neither pays"}


def test_first_actions_are_taken_alone_and_follow_no_look(published_data: Path) -> None:
    first = next(each for each in recorded("bash") if each.first)
    assert sum(turn.kind == "run" for turn in first.turns) == 1
    assert first.is_blind
    assert not replace(first, first=False).is_blind


def test_of_sql_a_look_at_tables_is_none_at_rows(published_data: Path) -> None:
    episodes = [each for each in recorded("sql") if "react" in each.file and len(each.turns) > 2]
    blind = [each for each in episodes if each.is_blind]
    assert 0 < len(blind) < len(episodes)
    for each in blind[:50]:
        assert not any(turn.code.lower().startswith("select") and turn.observation.startswith("[(")
                       for turn in [turn for turn in each.turns if turn.kind == "run"][:-1])  # fmt: skip


def test_a_sheet_shows_the_request_the_last_actions_and_what_changed_but_neither_gold_nor_scores() -> None:
    task = Task("nl2bash/fs1/0", "Make it so.", gold="the gold", extra={"file_system": 1})
    score = Score(0.123, False, notes=("a note on the score",))
    ending = Ending(
        Episode("bash-0-0", "bash", "file", 0),
        [Step(f"look {number}", f"seen {number}") for number in range(5)] + [Step("touch /a", "")],
        [Difference("file", "/a", None, StateItem("content", "file, mode 644"))],
        scores={"paper": score, "exact": score},
    )
    text = sheets.sheet(ending, task)
    assert all(part in text for part in ("Make it so.", "look 4", "touch /a", "/a", "content", "file system 1"))
    assert not any(part in text for part in ("the gold", "0.123", "a note", "look 1", "paper", "exact"))


def test_a_sheet_of_sql_shows_rows_and_errors() -> None:
    task = Task("spider/0", "How many?", gold="the gold", world="sql", extra={"db": "pets"})
    ending = Ending(Episode("sql-0-0", "sql", "file", 0), [Step("SELECT 3", "x")], statement="SELECT 3")
    shown = sheets.sheet(replace(ending, rows=QueryResult(((3,),), ("3",))), task)
    assert "(3,)" in shown
    assert "columns 3" in shown
    assert "1146" in sheets.sheet(replace(ending, rows=QueryResult(None, error="1146 (42S02): no such table")), task)


@pytest.mark.parametrize("lines", [10, 1000])
def test_long_texts_are_cut_and_say_so(lines: int) -> None:
    text = sheets._fenced("\n".join("x" * 20 for _ in range(lines)))
    assert ("more characters" in text) is (lines > sheets.LINES)
