"""What chance or the clock has left where nobody can compare it."""

from __future__ import annotations

import pytest

from intercode.worlds.sql.nondeterminism import nondeterministic_state

DOUBTFUL = [
    ["SET @a = RAND()"],
    ["SELECT UUID() INTO @id"],
    ["SELECT @now := NOW()"],
    ["CREATE TEMPORARY TABLE t (a INT)", "INSERT INTO t VALUES (RAND())"],
    ["BEGIN", "INSERT INTO t VALUES (CURRENT_TIMESTAMP)"],
    ["SET autocommit = 0", "UPDATE t SET a = RAND()"],
    ["START TRANSACTION; UPDATE t SET a = rand()"],
]
CERTAIN = [
    [],
    ["SET @a = 5", "BEGIN", "UPDATE t SET a = @a"],
    ["INSERT INTO t VALUES (RAND())"],  # it is in the table, where it will be compared
    ["INSERT INTO t VALUES (RAND())", "BEGIN", "DELETE FROM t"],
    ["SET @a = 'now()'", "BEGIN", "INSERT INTO t VALUES ('call rand() now') -- NOW()"],
    ["BEGIN", "UPDATE t SET `now` = 1"],
]


@pytest.mark.parametrize("statements", DOUBTFUL)
def test_it_is_found(statements: list[str]) -> None:
    assert nondeterministic_state(statements) == statements[-1]


@pytest.mark.parametrize("statements", CERTAIN)
def test_it_is_not_seen_where_there_is_none(statements: list[str]) -> None:
    assert nondeterministic_state(statements) == ""
