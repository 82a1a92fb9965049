"""Golds of which the data do not say what they answer, seen from what statements answer that they might have been."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from intercode.env.gold_runner import fresh
from intercode.types import Task
from intercode.types.databases import Database, DatabaseSource, QueryResult
from intercode.types.gold_warnings import SQL_RULES, GoldWarning, in_order
from intercode.worlds.sql.databases.dialect.tokenizer import Token, meaningful, statement_texts
from intercode.worlds.sql.gold_cache import SqlGoldCache, run_all
from intercode.worlds.sql.gold_lint.schema import NUMBER, Schema
from intercode.worlds.sql.gold_lint.variants import MOST, variants
from intercode.worlds.sql.nondeterminism import CHANCE
from intercode.worlds.sql.scoring.final_state import SqlFinalState, State
from intercode.worlds.sql.scoring.syntax import syntax_tree
from intercode.worlds.sql.scoring.unjudged import why_unjudged

DIGITS = 9
"""Digits of a number that count: sums of fractions differ in the last ones, by the order in which they are added."""

BARE = frozenset({
    "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "utc_date", "utc_time",
    "utc_timestamp",
})  # fmt: skip
"""Functions that are called without brackets."""

RANDOM = frozenset({"rand", "random", "uuid", "uuid_short", "uuid_v4", "uuid_v7", "sys_guid", "random_bytes"})
"""Those of chance; all others of `CHANCE` are of the clock, or of the connection."""

UNJUDGED = frozenset({
    "TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "USER", "ROLE", "DATABASE", "SCHEMA", "GRANT", "REVOKE",
    "AUTO_INCREMENT",
})  # fmt: skip
"""Kinds of last statements that leave nothing in a state, whatever else the gold did."""

OF_SQLITE = re.compile(r"\b(?:date|time|datetime|julianday|unixepoch|strftime)\s*\([^()]*'now'", re.IGNORECASE)
"""Calls by which SQLite is asked for the time."""

SEEDED = frozenset({"rand", "unix_timestamp"})
"""Functions that, with something in their brackets, answer the same each time."""

_schemas: WeakKeyDictionary[Database, dict[tuple[DatabaseSource, str], Schema]] = WeakKeyDictionary()


def lint(task: Task, gold: str, database: Database, source: DatabaseSource, name: str) -> tuple[GoldWarning, ...]:
    """Return what the data leave open of *gold* on the database *name* of *source*; one warning for each rule.

    Raises:
        MachineError: If the database breaks.
    """
    found = dict(_asked(gold))
    golds = SqlGoldCache.of(database)
    ending = golds.outcome(database, source, name, gold)
    if ending.result is None or ending.result.error is not None or ending.result.truncated:
        return in_order(task, found)
    texts = statement_texts(gold) or (gold,)
    last = why_unjudged(texts[-1]).partition(" is not judged")[0]
    if len(texts) > 1 and ending.result.rows is None and last.rpartition(" ")[2] in UNJUDGED:
        found["unjudged"] = f"its last statement, {last}, is not judged"
    before = golds.before(database, source, name) if ending.state else {}
    if "clock" not in found and (today := _today_in(ending, before)):
        found["clock"] = f"{SQL_RULES['clock']}: {today} is in it, by a default or a view"
    if not found.keys() & {"clock", "chance"}:
        found |= _open_questions(texts, database, source, name)
    return in_order(task, found)


def _today_in(ending: SqlFinalState, before: State) -> str:
    """Return what a gold shows, or leaves, of this day, of which the data knew nothing; "" where that is nothing."""
    state = ending.state or {}
    new = (
        row for name, table in state.items() for row in table.rows if name not in before or row not in before[name].rows
    )
    rows = [*(ending.result.rows or () if ending.result else ()), *new]
    now = datetime.now(UTC)
    days = {f"{now + timedelta(days=by):%Y-%m-%d}" for by in (-1, 0, 1)}
    texts = (str(value) for row in rows for value in row if isinstance(value, str | date))
    return next((text for text in texts if text[:10] in days), "")


def _open_questions(texts: Sequence[str], database: Database, source: DatabaseSource, name: str) -> dict[str, str]:
    """Return the rules by which two statements that might each be the gold differ."""
    found: dict[str, str] = {}
    schema = None
    for at, text in enumerate(texts):
        tree = syntax_tree(text)
        if tree is None:
            continue
        schema = schema or _schema(database, source, name)
        seen: dict[str, SqlFinalState] = {}
        for each in islice(variants(tree, schema), MOST):
            if each.rule in found:
                continue
            sides = []
            for side in (each.low, each.high):
                text = ";\n".join([*texts[:at], side.sql("mysql"), *texts[at + 1 :]])
                if text not in seen:
                    with fresh(lambda: database.open(source, name)) as session:
                        seen[text] = run_all(session, text)
                sides.append(seen[text])
            if _differ(sides[0], sides[1], ordered=each.ordered):
                found[each.rule] = f"{SQL_RULES[each.rule]}: it might as well be {each.high.sql('mysql')}"
    return found


def _schema(database: Database, source: DatabaseSource, name: str) -> Schema:
    known = _schemas.setdefault(database, {})
    if (source, name) not in known:
        known[source, name] = Schema(SqlGoldCache.of(database).before(database, source, name))
    return known[source, name]


def _asked(gold: str) -> Iterator[tuple[str, str]]:
    """Find what *gold* asks for by its words alone: the time, or chance."""
    found = meaningful(gold)
    for before, token, *after in zip([None, *found], found, [*found[1:], None], [*found[2:], None, None], strict=False):
        if token.kind != "word" or token.lower not in (CHANCE | RANDOM) - {"connection_id"}:
            continue
        if before is not None and before.lower in (".", "default", "update"):  # ON UPDATE CURRENT_TIMESTAMP
            continue
        if token.lower in BARE or _is_called(token, after):
            rule = "chance" if token.lower in RANDOM else "clock"
            yield rule, f"{SQL_RULES[rule]}: {token.text}"
    if now := OF_SQLITE.search(gold):
        yield "clock", f"{SQL_RULES['clock']}: {now[0]}"


def _is_called(token: Token, after: Sequence[Token | None]) -> bool:
    first, second = after
    if first is None or first.text != "(":
        return False
    return not (token.lower in SEEDED and second is not None and second.text != ")")


def _differ(low: SqlFinalState, high: SqlFinalState, *, ordered: bool) -> bool:
    """Tell whether two endings are not the same answer; one that failed tells nothing."""
    results = (low.result, high.result)
    if any(result is None or result.error is not None or result.truncated for result in results):
        return False
    rows = [_rows(result) for result in results if result is not None]
    if rows[0] != rows[1] if ordered else Counter(rows[0]) != Counter(rows[1]):
        return True
    return _facts(low.state) != _facts(high.state)


def _rows(result: QueryResult) -> list[tuple[object, ...]]:
    return [tuple(map(_value, row)) for row in result.rows or ()]


def _facts(state: State | None) -> dict[str, Counter[tuple[object, ...]]]:
    return {name: Counter(tuple(map(_value, row)) for row in table.rows) for name, table in (state or {}).items()}


def _value(value: Any) -> object:
    """Return a value as it is compared: numbers by their first digits, texts without case and blanks around them."""
    if value is None:
        return None
    text = str(value).strip().casefold()
    if NUMBER.fullmatch(text) or isinstance(value, float):
        return f"{float(text):.{DIGITS}g}"
    return text
