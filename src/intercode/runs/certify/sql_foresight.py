"""What is known of an attempt at an SQL task before it is played, by its statements alone: that it does not score 1.

`exact` pays nothing for an answer whose last statement reads no table where the gold's does. Where the gold shows
nothing, what it changed is compared, and statements that only read change nothing. See `rewards/sql/exact.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from intercode.databases.dialect.access_level import access_level
from intercode.databases.dialect.tokenizer import statement_texts
from intercode.rewards.sql.final_state import SqlFinalState
from intercode.rewards.sql.syntax import reads_no_table


def rules_out(golds: Iterable[SqlFinalState], texts: Sequence[str]) -> bool:
    """Whether an attempt whose actions are *texts* scores below 1 by each of *golds*, without a doubt."""
    return all(_fails(gold, texts) for gold in golds)


def _fails(gold: SqlFinalState, texts: Sequence[str]) -> bool:
    if not texts or gold.result is None or gold.result.error is not None:
        return True
    if gold.result.rows is None:
        return all(access_level(each) == "read" for text in texts for each in _statements(text))
    # should a statement before the last one fail, the answer has no rows: that earns nothing, either
    return reads_no_table(_statements(texts[-1])[-1]) and not reads_no_table(gold.statement or "")


def _statements(text: str) -> Sequence[str]:
    """Those that `run_script` runs."""
    return statement_texts(text) or (text,)
