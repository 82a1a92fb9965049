"""What is read from a gold statement: order, end, and what to ask beside it."""

from __future__ import annotations

import pytest

from intercode.worlds.sql.scoring.gold_order import GoldOrder, order_of


@pytest.mark.parametrize(
    "gold",
    [
        "SELECT name FROM staff",
        "SELECT a FROM (SELECT a FROM t ORDER BY b LIMIT 3) AS x",
        "SELECT a FROM t WHERE b = (SELECT max(b) FROM t ORDER BY b LIMIT 1)",
        "(SELECT a FROM t ORDER BY a LIMIT 1) UNION (SELECT b FROM u)",
        "SELECT a FROM t WHERE note = 'order by 2 limit 1'",
        "SHOW TABLES",
        "UPDATE t SET a = 1 ORDER BY b LIMIT 1",
        "",
    ],
)
def test_without_an_order_of_its_own_there_is_nothing_to_ask(gold: str) -> None:
    """What stands in brackets or in quotes is not the result's order."""
    assert order_of(gold) == GoldOrder(ordered=False)


@pytest.mark.parametrize(
    ("gold", "probe", "added"),
    [
        (
            "SELECT name FROM staff ORDER BY age DESC LIMIT 1",
            "SELECT name, age AS intercode_key_0 FROM staff ORDER BY age DESC",
            1,
        ),
        (
            "SELECT city, count(*) FROM shop GROUP BY city ORDER BY count(*), city",
            "SELECT city, COUNT(*), COUNT(*) AS intercode_key_0, city AS intercode_key_1 "
            "FROM shop GROUP BY city ORDER BY COUNT(*), city",
            2,
        ),
        (
            "SELECT a + b AS total, c FROM t ORDER BY TOTAL, 2;",
            "SELECT a + b AS total, c, a + b AS intercode_key_0, c AS intercode_key_1 FROM t ORDER BY TOTAL, 2",
            2,
        ),
        ("SELECT * FROM t ORDER BY t.a", "SELECT *, t.a AS intercode_key_0 FROM t ORDER BY t.a", 1),
        ("(SELECT a FROM t ORDER BY b)", "SELECT a, b AS intercode_key_0 FROM t ORDER BY b", 1),
        (
            'SELECT a FROM t WHERE b = "it\'s" ORDER BY `c d`',
            "SELECT a, `c d` AS intercode_key_0 FROM t WHERE b = 'it''s' ORDER BY `c d`",
            1,
        ),
    ],
)
def test_what_a_select_is_ordered_by_is_shown_beside_it(gold: str, probe: str, added: int) -> None:
    """Names and numbers of columns are replaced by what they stand for, and the LIMIT is left out."""
    order = order_of(gold)
    assert (order.ordered, order.probe, order.added) == (True, probe, added)


@pytest.mark.parametrize(
    ("gold", "probe", "visible"),
    [
        ("SELECT DISTINCT a, b FROM t ORDER BY b DESC, 1", None, (1, 0)),
        ("SELECT DISTINCT a FROM t ORDER BY t.a LIMIT 2", "SELECT DISTINCT a FROM t ORDER BY t.a", (0,)),
        (
            "SELECT DISTINCT a, count(*) FROM t GROUP BY a ORDER BY COUNT(*) LIMIT 1",
            "SELECT DISTINCT a, COUNT(*) FROM t GROUP BY a ORDER BY COUNT(*)",
            (1,),
        ),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY a", None, (0,)),
    ],
)
def test_distinct_and_union_are_looked_at_where_they_show_their_order(
    gold: str, probe: str | None, visible: tuple[int, ...]
) -> None:
    order = order_of(gold)
    assert (order.ordered, order.probe, order.visible, order.added) == (True, probe, visible, 0)


@pytest.mark.parametrize(
    "gold",
    [
        "SELECT DISTINCT a FROM t ORDER BY b LIMIT 3",
        "SELECT DISTINCT * FROM t ORDER BY a",
        "SELECT *, b FROM t ORDER BY 2",
        "SELECT a FROM t ORDER BY 7",
        "SELECT a FROM t ORDER BY a LIMIT ?",
        "SELEC a FORM t ORDER BY a",
        "SELECT a FROM t ORDER BY a; SELECT b FROM t ORDER BY b",
    ],
)
def test_where_the_order_cannot_be_seen_nothing_is_asked(gold: str) -> None:
    order = order_of(gold)
    assert (order.ordered, order.probe, order.visible) == (True, None, ())


@pytest.mark.parametrize(
    ("tail", "offset", "limit"),
    [("LIMIT 3", 0, 3), ("LIMIT 3 OFFSET 2", 2, 3), ("LIMIT 2, 3", 2, 3), ("FETCH FIRST 3 ROWS ONLY", 0, 3)],
)
def test_every_way_to_cut_is_understood(tail: str, offset: int, limit: int) -> None:
    for order in ("", "ORDER BY b "):
        found = order_of(f"SELECT a FROM t {order}{tail}")
        assert (found.offset, found.limit) == (offset, limit)
        assert found.probe
        assert "LIMIT" not in found.probe
        assert "FETCH" not in found.probe


def test_a_statement_of_a_megabyte_is_not_read() -> None:
    long = "SELECT a FROM t WHERE b IN (" + "1, " * 500_000 + "1) ORDER BY a"
    assert order_of(long) == GoldOrder(ordered=True)


@pytest.mark.parametrize("deep", [100, 3000, 100_000])
def test_brackets_in_brackets_are_survived(deep: int) -> None:
    assert order_of("SELECT " + "(" * deep + "1" + ")" * deep + " ORDER BY 1").ordered


@pytest.mark.parametrize(
    "nonsense", ["SHOW TABLE ", "\0 ORDER BY", "SELECT 'a", "SELECT /* ORDER BY", "\ud800 LIMIT", ";;"]
)
def test_what_is_no_sql_has_no_probe(nonsense: str) -> None:
    assert order_of(nonsense).probe is None
    assert order_of(f"{nonsense} order by 1 limit 1").probe is None
