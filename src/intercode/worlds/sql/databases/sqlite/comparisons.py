"""Comparisons by the types of what is compared: MySQL reads a text as a number beside one, and as a date beside one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import time

from sqlglot import exp

from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.sqlite import dates
from intercode.worlds.sql.databases.sqlite.column_contexts import projected, read_as, wrapped
from intercode.worlds.sql.databases.sqlite.expression_types import ExpressionTypes
from intercode.worlds.sql.databases.sqlite.unsupported import WAY_OUT, StatementError, UnsupportedStatementError
from intercode.worlds.sql.databases.sqlite.value_types import DATE, DATETIME, DOUBLE, NULL, TIME, ValueType

COMPARISONS = (exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)

NO_MOMENT = "0000-00-00"
"""What a text is that is no date, among dates: less than all of them."""


def compare_by_type(tree: exp.Expr, types: ExpressionTypes) -> None:
    """Have what *tree* compares be compared as MySQL does.

    Raises:
        StatementError: For a date that is compared with what is none.
    """
    for among in list(tree.find_all(exp.In, exp.Case)):
        _separate(among, types)
    for comparison in list(tree.find_all(*COMPARISONS)):
        values = list(compared_values(comparison))
        kinds = [types(value) for value in values]
        known = [kind for kind in kinds if kind is not None and kind != NULL]
        if len(known) < 2 or None in kinds:
            continue
        texts, numbers = [kind.is_text for kind in known], [kind.is_number for kind in known]
        if any(kind.is_moment for kind in known):
            _compare_moments(comparison, values, known, types)
        elif any(texts) and any(numbers):
            negated = isinstance(comparison.parent, exp.Not) and comparison.args.get("query")
            if negated and known[0].members:  # on which servers differ
                raise UnsupportedStatementError(f"a member of an ENUM NOT IN numbers that are selected: {WAY_OUT}")
            for value in values:
                _read_as_number(value, types)
        elif all(texts) and not any(isinstance(projected(value), exp.Column | exp.Collate) for value in values):
            collated = exp.Collate(this=values[0].copy(), expression=exp.Var(this="utf8mb4_general_ci"))
            values[0].replace(collated)


def compared_values(comparison: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what is compared with each other; nothing for what a column is set to."""
    if isinstance(comparison.parent, exp.Update | exp.OnConflict):
        return
    yield comparison.this
    for part in ("expression", "low", "high", "query"):
        if (value := comparison.args.get(part)) is not None:
            yield value
    yield from comparison.expressions


def _separate(choice: exp.Expr, types: ExpressionTypes) -> None:
    """Have IN and CASE compare with each value by itself, where types differ: `a IN ('', 2)` is `a = '' OR a = 2`."""
    cases = choice.args["ifs"] if isinstance(choice, exp.Case) else []
    values = [case.this for case in cases] or choice.expressions
    among = [*values, *([choice.this] if cases and choice.this is not None else [])]
    families = {(kind.is_number, kind.is_text) for kind in map(types, among) if kind is not None and kind != NULL}
    if len(families) < 2 or choice.this is None:
        return
    pairs = [exp.EQ(this=choice.this.copy(), expression=value.copy()) for value in values]
    if isinstance(choice, exp.In):
        choice.replace(exp.Paren(this=exp.or_(*pairs, copy=False)))
        return
    for case, pair in zip(cases, pairs, strict=True):
        case.set("this", pair)
    choice.set("this", None)


def _read_as_number(value: exp.Expr, types: ExpressionTypes) -> None:
    value = projected(value)
    kind = types(value)
    if kind is not None and kind.is_text and not kind.members:
        wrapped(value, "mysql_strict_number" if types.strict else "mysql_number", kind=DOUBLE)
    else:
        read_as(value, DOUBLE, types)


def _compare_moments(
    comparison: exp.Expr, values: Sequence[exp.Expr], kinds: Sequence[ValueType], types: ExpressionTypes
) -> None:
    """Have dates and times be compared: with numbers as numbers, with each other and with texts as moments."""
    moments = {kind for kind in kinds if kind.is_moment}
    others = [value for value in values if not (types(value) or NULL).is_moment and types(value) != NULL]
    if TIME in moments:
        return
    has_clock = DATETIME in moments
    if any(kind.is_number for kind in kinds):
        if any(kind.is_text for kind in kinds) or len(moments) > 1:
            raise UnsupportedStatementError(f"a date compared with both a number and another date: {WAY_OUT}")
        for value in others if has_clock else ():
            if isinstance(value, exp.Literal) and re.fullmatch(r"\d{8}", value.name):
                value.replace(exp.Literal.number(value.name + "000000"))  # a day begins at midnight
        for value in values:
            read_as(value, DOUBLE, types)
        return
    told = {value: dates.read_time(value.name) for value in others if isinstance(value, exp.Literal)}
    wrong = [value.name for value, moment in told.items() if moment is None]
    if wrong and (types.strict or not isinstance(comparison, exp.In | exp.Between)):
        kind = "DATETIME" if has_clock else "DATE"
        raise StatementError(format_error(1292 if types.strict else 1525, f"Incorrect {kind} value: '{wrong[0]}'"))
    if isinstance(comparison, exp.Between) and (wrong or kinds[0].is_text):
        raise UnsupportedStatementError(f"a date and a text in BETWEEN that is none: {WAY_OUT}")
    has_clock = has_clock or any(moment and moment.time() != time() for moment in told.values())
    has_clock = has_clock or len(told) < len(others)
    for value in values:
        if isinstance(value, exp.Literal) and value in told:
            moment = told[value]
            shown = NO_MOMENT if moment is None else str(moment if has_clock else moment.date())
            value.replace(exp.Literal.string(shown))
        elif value in others:
            call = "mysql_strict_moment" if types.strict else "mysql_compared_moment"
            wrapped(projected(value), call, kind=DATETIME)
        elif has_clock and types(value) == DATE:
            read_as(value, DATETIME, types)
