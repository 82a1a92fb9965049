"""What the published reward of the SQL world should have been: execution accuracy, mended, and shares for the rest.

An answer is right if its rows are the gold's, duplicates counted, whatever the order of its columns; their order counts
where the gold has an ORDER BY. Where the gold changes the database, the changes are the answer. The reasons, and how
this compares with what others call execution accuracy, are in `docs/decisions/exact-sql.md`.
"""

from __future__ import annotations

from intercode.types import Score
from intercode.types.databases import QueryResult, Row
from intercode.worlds.sql.scoring.expected_rows import expected_rows
from intercode.worlds.sql.scoring.final_state import SqlEnding
from intercode.worlds.sql.scoring.gold_order import order_of
from intercode.worlds.sql.scoring.question import is_void, may_ask_the_same
from intercode.worlds.sql.scoring.row_matching import RowMatch, match
from intercode.worlds.sql.scoring.syntax import reads_no_table
from intercode.worlds.sql.scoring.tables import TableStateMatch, compare
from intercode.worlds.sql.scoring.unjudged import why_unjudged

_NEARLY = 0.99
"""The most that is given for an answer that is not right."""

FAILS = "the gold itself fails: nothing can agree with it"
VACUOUS = "vacuous gold: it changes nothing and shows nothing, so nothing tells doing the task from not"
"""Why nothing is right, where no better reason is known."""

VOID = "the result proves nothing, and was not asked of the same tables and columns with the same values"
"""Why an answer that shows what a void gold shows is not right."""

ELSEWHERE = "on other rows it shows something else than the gold"
"""Why an answer that is right on the rows of the task is not right."""


def exact(ending: SqlEnding) -> Score:
    """Judge the last result and the database; `success` if both are as the gold left them, and then, only then, 1.

    Parts: `state` (changes that both made over all that either made), and of the last result `rows`, `order` and
    `columns` (see `RowMatch`); each where there is something to compare. A task about both is worth their mean. Where
    the gold changes nothing, any change of the agent's halves the value. Doing nothing is worth 0, and so is
    everything where the gold fails or does nothing itself.
    """
    gold, mine = ending.gold.result, ending.agent.result
    if gold is None or gold.error is not None or gold.timed_out:
        return _nothing(why_unjudged(_statement(ending), failed=True) or FAILS)
    if mine is None:
        return _nothing("nothing was run")
    state = _state(ending)
    has_work = state.same + state.missing > 0
    if gold.rows is not None:
        return _with_answer(state, _answer(ending, mine, gold), has_work=has_work)
    if not has_work:
        return _nothing(why_unjudged(ending.task.gold or "") or VACUOUS)
    return Score(state.part, state.part == 1, {"state": state.part}, state.notes)


def question(ending: SqlEnding) -> str | None:
    """Return the statement whose result on the untouched database `SqlEnding.probe` has to be.

    Its result tells which rows are as good as the gold's.

    Returns:
        None where no statement is needed: for answers with exactly the gold's rows, for answers with another number of
        rows, and for golds without ORDER BY and LIMIT.
    """
    gold, mine = ending.gold.result, ending.agent.result
    if gold is None or mine is None or not gold.rows or not mine.rows or ending.gold.state is not None:
        return None
    if len(mine.rows) != len(gold.rows) or mine.rows == gold.rows:
        return None
    return order_of(_statement(ending)).probe


def has_to_follow(ending: SqlEnding, score: Score) -> bool:
    """Return whether an answer about rows has earned that *score* on the rows of one database alone.

    Then it has to follow the gold on others: see `least`.
    """
    gold, mine = ending.gold.result, ending.agent.result
    if gold is None or mine is None or not gold.rows or not mine.rows or ending.gold.state is not None:
        return False
    return score.value > 0 and ending.agent.statement != ending.gold.statement and not is_void(gold.rows)


def least(score: Score, there: Score) -> Score:
    """Return what an answer is worth that has earned *score* here, and *there* where its gold shows something else."""
    if there.value >= score.value:
        return score
    return Score(there.value, success=False, parts=there.parts, notes=(*there.notes, ELSEWHERE))


_UNCHANGED = compare({}, {}, {})


def _state(ending: SqlEnding) -> TableStateMatch:
    """Return what both sides did to the database."""
    if ending.gold.state is None and ending.agent.state is None:
        return _UNCHANGED
    before, sides = ending.before, (ending.gold, ending.agent)
    gold, agent = (before if side.state is None else side.state for side in sides)
    return compare(before, gold, agent)


def _with_answer(state: TableStateMatch, answer: Score, *, has_work: bool) -> Score:
    unharmed = answer.value if state.part == 1 else answer.value / 2
    value = (state.part + answer.value) / 2 if has_work else unharmed
    parts = {"state": state.part, **answer.parts} if has_work or state.part < 1 else answer.parts
    return Score(value, value == 1, parts, (*state.notes, *answer.notes))


def _answer(ending: SqlEnding, mine: QueryResult, gold: QueryResult) -> Score:
    """Return the judgement of the last result alone; the gold's has rows or might have had."""
    if mine.rows is None:
        return _nothing("the last statement failed" if mine.error else "the last statement shows no rows")
    if reads_no_table(ending.agent.statement or "") and not reads_no_table(_statement(ending)):
        return _nothing("the last statement reads no table")
    if not mine.rows or not gold.rows:
        return _answer_without_rows(ending, mine, gold)
    if mine.rows == gold.rows and mine.truncated == gold.truncated:
        return _right(ending, gold)
    right = expected_rows(gold.rows, order_of(_statement(ending)), ending.probe)
    found = match(mine.rows, right)
    if found.same and mine.truncated == gold.truncated:
        return _right(ending, gold)
    return _partly(found, mine.rows[0], gold.rows[0], is_ordered=right.is_ordered)


def _answer_without_rows(ending: SqlEnding, mine: QueryResult, gold: QueryResult) -> Score:
    if mine.rows:
        return _nothing("the answer should have no rows")
    if gold.rows or len(mine.columns) != len(gold.columns):
        return _nothing("the answer has no rows" if gold.rows else "the answer has no rows, but other columns")
    return _right(ending, gold)


def _right(ending: SqlEnding, gold: QueryResult) -> Score:
    """Return what an answer is worth that shows what the gold shows.

    Nothing where that is void and something else asked.
    """
    if gold.rows is not None and is_void(gold.rows):
        mine, expected = ending.agent.statement or "", _statement(ending)
        if not may_ask_the_same(mine, expected, gold.columns):
            return _nothing(VOID)
    return Score(1.0, success=True, parts={"rows": 1.0})


def _partly(found: RowMatch, mine: Row, right: Row, *, is_ordered: bool) -> Score:
    """Return the judgement of what is not right; *mine* and *right* are the first rows."""
    parts = {"rows": found.rows, "columns": found.columns} | ({"order": found.order} if is_ordered else {})
    value = found.columns * found.rows * ((1 + found.order) / 2 if is_ordered else 1)
    has_all_columns = len(mine) == len(right)
    differences = {
        f"columns: {len(mine)}, expected {len(right)}": not has_all_columns,
        "the rows differ": found.rows < 1 or (has_all_columns and found.columns < 1),
        "the order differs": is_ordered and found.order < 1,
    }
    notes = tuple(note for note, holds in differences.items() if holds)
    return Score(min(value, _NEARLY), success=False, parts=parts, notes=notes or ("the rows differ",))


def _statement(ending: SqlEnding) -> str:
    return ending.gold.statement or ending.task.gold or ""


def _nothing(note: str) -> Score:
    return Score(0.0, success=False, notes=(note,))
