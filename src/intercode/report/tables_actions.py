"""The actions of a run laid out as tables."""

from __future__ import annotations

from intercode.report.actions import Actions
from intercode.report.table import Cell, Column, Table

MOST = 12
"""Rows of the tables that could have hundreds."""

TURNS = 10
"""Turns that have a column of their own among the first words."""


def make_tables(found: Actions) -> list[Table]:
    """By turn, errors by kind, what actions begin with, and what becomes of errors."""
    laid_out = [_by_turn(found), _kinds(found), _oddities(found), _words(found), _recovery(found)]
    return [sheet.without_empty() for sheet in laid_out if sheet.rows]


def _by_turn(found: Actions) -> Table:
    columns = (
        Column("turn"),
        Column("actions", "count"),
        Column("errors", "share"),
        Column("95 %", "interval"),
        Column("no code", "share"),
        Column("cut", "share"),
        Column("repeated", "share"),
        Column("exploring", "share"),
        Column("reward gained", "reward"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            str(at.number),
            at.steps,
            at.error_rate,
            at.interval,
            at.nothing / at.steps,
            at.cut / at.steps,
            at.repeated / at.steps,
            at.exploring / at.steps,
            at.gain,
        )
        for at in found.by_turn
    ]
    note = (
        "errors: of the actions whose code was run; no code, cut, repeated: of all; exploring: the action only looks, "
        "and another follows; reward gained: mean rise of the best reward, where turns were judged"
    )
    return Table("actions by turn", columns, tuple(rows), note)


def _kinds(found: Actions) -> Table:
    total = sum(found.errors.values())
    rows: list[tuple[Cell, ...]] = [
        (kind, count, count / total, found.examples[kind]) for kind, count in list(found.errors.items())[:MOST]
    ]
    columns = (Column("error"), Column("actions", "count"), Column("of all errors", "share"), Column("first in"))
    return Table("errors", columns, tuple(rows))


def _oddities(found: Actions) -> Table:
    odd = found.oddities
    rows: list[tuple[Cell, ...]] = [(each.name, each.count, each.count / each.of, each.example) for each in odd]
    columns = (Column("besides"), Column("times", "count"), Column("share", "share"), Column("first in"))
    note = "refused: of all episodes; all others: of all actions, code or not"
    return Table("besides errors", columns, tuple(rows), note)


def _words(found: Actions) -> Table:
    """Return what actions begin with, by turn."""
    turns = [at.number for at in found.by_turn[:TURNS]]
    columns = (Column("begins with"), Column("actions", "count"), *(Column(f"turn {turn}", "count") for turn in turns))
    rows: list[tuple[Cell, ...]] = [
        (word, sum(counts.values()), *(counts.get(turn) for turn in turns))
        for word, counts in list(found.words.items())[:MOST]
    ]
    return Table("first words", columns, tuple(rows))


def _recovery(found: Actions) -> Table:
    recovery = found.recovery
    columns = (Column("after an error"), Column("of", "count"), Column("share", "share"), Column("95 %", "interval"))
    named = (
        ("the next action is sound", recovery.sound, "sound"),
        ("an episode with an error succeeds", recovery.won, "won"),
        ("an episode without one succeeds", recovery.won_without, "won_without"),
    )
    rows: list[tuple[Cell, ...]] = [
        (words, of, are / of, recovery.intervals[name]) for words, (of, are), name in named if of
    ]
    return Table("recovery", columns, tuple(rows))
