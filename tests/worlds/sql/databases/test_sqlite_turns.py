"""Short statements of one process run one after another; nobody waits long for a long one."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from intercode.types.databases import DatabaseSource
from intercode.worlds.sql.databases.sqlite import SqliteDatabase, turns
from intercode.worlds.sql.databases.sqlite.turns import PATIENCE, take_turn
from intercode_sandbox.testing.fixtures import becomes_true

LONG = 0.5
FOREVER = 60.0
"""Seconds. Longer than any machine takes over what is tried here."""


@pytest.fixture
def source(tmp_path: Path) -> Iterator[tuple[SqliteDatabase, DatabaseSource]]:
    script = tmp_path / "shop.sql"
    script.write_text("CREATE TABLE item (id INT);\nINSERT INTO item VALUES (1);\n")
    with SqliteDatabase() as database:
        yield database, DatabaseSource("shop", script, "sql")


def is_free() -> bool:
    """Whether nobody has the turn."""
    return not turns._turn.locked()


def test_who_has_the_turn_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE", FOREVER)  # a slow machine takes longer over eight turns than is waited for
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        with take_turn():
            inside += 1
            most = max(most, inside)
            time.sleep(0.001)
            inside -= 1

    with ThreadPoolExecutor(8) as crowd:
        list(crowd.map(lambda _: work(), range(8)))
    assert most == 1


def test_a_turn_that_takes_long_is_not_waited_for() -> None:
    has_begun, is_over, waited = threading.Event(), threading.Event(), list[float]()

    def hold() -> None:
        with take_turn():
            has_begun.set()
            is_over.wait(FOREVER)

    with ThreadPoolExecutor(1) as other:
        holding = other.submit(hold)
        assert has_begun.wait(FOREVER)
        for _ in range(5):  # of which a busy machine may hold up some
            began = time.monotonic()
            with take_turn():
                waited.append(time.monotonic() - began)
        assert not holding.done()
        is_over.set()
        holding.result()
    assert PATIENCE * 0.9 <= min(waited) < LONG
    assert is_free(), "it was given back, though another had gone on beside it"


def test_a_failure_gives_the_turn_back() -> None:
    with pytest.raises(ZeroDivisionError), take_turn():
        1 / 0  # noqa: B018
    assert is_free()


def test_a_fork_does_not_wait_for_a_turn_that_nobody_in_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE", FOREVER)
    with take_turn():
        child = os.fork()
        if child == 0:
            began = time.monotonic()
            with take_turn():
                os._exit(int(time.monotonic() - began >= FOREVER / 2))
    assert os.waitpid(child, 0)[1] == 0


def test_a_statement_that_sleeps_holds_up_no_other_session(source: tuple[SqliteDatabase, DatabaseSource]) -> None:
    database, shop = source
    with database.open(shop, "shop") as one, database.open(shop, "shop") as other, ThreadPoolExecutor(1) as crowd:
        sleeping = crowd.submit(one.run, f"SELECT SLEEP({LONG * 8})")
        assert becomes_true(lambda: not is_free())
        assert other.run("SELECT id FROM item").rows == ((1,),)
        assert not sleeping.done()
        assert sleeping.result().seconds >= LONG * 8
