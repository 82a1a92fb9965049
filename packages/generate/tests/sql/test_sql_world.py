"""Generated databases, and the engine that tries statements on them."""

from __future__ import annotations

import pytest

from intercode_generate.draw import Draw
from intercode_generate.splits import Split, words_of
from intercode_generate.sql.build import build, singular
from intercode_generate.sql.engine import DoubtfulRoundingError, ScriptDatabase, is_ordered
from intercode_generate.sql.names import DOMAINS

WORLDS = [build(Draw("world", number), "train") for number in range(40)]


def test_a_database_is_the_same_every_time_and_another_key_makes_another() -> None:
    one, again, other = (build(Draw("world", number), "train").script for number in (1, 1, 2))
    assert one == again != other


def test_databases_have_3_to_12_tables_with_keys_nulls_dates_and_decimals() -> None:
    assert {len(world.tables) for world in WORLDS} == set(range(3, 13))
    columns = [column for world in WORLDS for table in world.tables for column in table.columns]
    assert {column.kind for column in columns} == {"key", "ref", "name", "label", "whole", "money", "date"}
    assert any(column.nullable for column in columns)
    for world in WORLDS:
        for table in world.tables:
            keys = [tuple(row[: len(table.key)]) for row in table.rows]
            assert len(set(keys)) == len(keys)


def test_every_reference_leads_to_a_row() -> None:
    for world in WORLDS:
        for link in world.references:
            assert set(link.child.values(link.column)) - {None} <= set(link.parent.values(link.key))


def test_no_two_domains_share_a_table_and_each_split_has_its_own() -> None:
    tables = [name for domain in DOMAINS.values() for name in domain.values()]
    assert len(set(tables)) == len(tables)
    splits: tuple[Split, ...] = ("train", "validation", "test-families")
    parts = [set(words_of(sorted(DOMAINS), split)) for split in splits]
    assert all(parts)
    assert sum(map(len, parts)) == len(set().union(*parts)) == len(DOMAINS)


def test_a_rounding_that_databases_may_do_in_two_ways_is_no_gold() -> None:
    engine = ScriptDatabase("CREATE TABLE t (a)")
    assert engine.value("SELECT ROUND(2.344, 2)") == 2.34
    with pytest.raises(DoubtfulRoundingError):
        engine.value("SELECT ROUND(0.125, 2)")


def test_what_a_statement_changes_is_undone() -> None:
    world = WORLDS[0]
    name = world.tables[0].name
    count = len(world.tables[0].rows)
    assert not world.engine.state_after(f"DELETE FROM {name}; CREATE VIEW seen AS SELECT 1")[name]
    assert world.engine.value(f"SELECT COUNT(*) FROM {name}") == count
    assert "seen" not in world.engine.state_after("SELECT 1")


@pytest.mark.parametrize(
    ("query", "found"),
    [("SELECT a FROM t ORDER BY a", True), ("SELECT SUM(a) OVER (ORDER BY (b)) FROM t", False), ("SELECT 1", False)],
)
def test_an_order_inside_brackets_is_none_of_the_result(query: str, found: bool) -> None:
    assert is_ordered(query) is found


@pytest.mark.parametrize(
    ("many", "one"), [("branches", "branch"), ("agencies", "agency"), ("cargoes", "cargo"), ("stages", "stage")]
)
def test_one_of_many(many: str, one: str) -> None:
    assert singular(many) == one
