"""The published reward of the SQL world, bit for bit: intersection over union of the rows, times Kendall's tau.

After princeton-nlp/intercode, `intercode/envs/sql/sql_env.py`, faults included: rows are compared as text, an order
nobody asked for is punished (down to -1), success is a matter of rounding, and a gold that fails counts as one without
rows. `exact` is what the faults should have been.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from intercode.types import Score
from intercode.types.databases import QueryResult
from intercode.worlds.sql.scoring.final_state import SqlEnding
from intercode.worlds.sql.scoring.kendall import tau


def paper(ending: SqlEnding) -> Score:
    """Judge as the published program does; `success` is a value of exactly 1, and the value can be negative.

    Parts: `iou` and, where the rows that both sides have are of two kinds at least, `tau`: their order as texts.
    """
    agent, gold = _texts(ending.agent.result), _texts(ending.gold.result) or []
    if agent is None:
        return _no_rows()
    common = Counter(agent) & Counter(gold)
    share = _iou(agent, gold, common)
    order = tau(_common_rows(agent, common), _common_rows(gold, common))
    if order is None:
        return Score(share, share == 1, {"iou": share})
    value = _round_as_numpy(order * share)
    return Score(value, value == 1, {"iou": share, "tau": order})


def paper_iou(ending: SqlEnding) -> Score:
    """Return the older variant that some recordings were scored with: plain intersection over union, not rounded."""
    agent, gold = _texts(ending.agent.result), _texts(ending.gold.result) or []
    if agent is None:
        return _no_rows()
    share = _iou(agent, gold, Counter(agent) & Counter(gold))
    return Score(share, share == 1, {"iou": share})


def _texts(result: QueryResult | None) -> list[str] | None:
    """Return the rows as the published program writes them.

    None where there is no list of rows: an error, no result set.
    """
    return None if result is None or result.rows is None else [str(row) for row in result.rows]


def _iou(agent: Sequence[str], gold: Sequence[str], common: Counter[str]) -> float:
    """Common rows over all rows, duplicates counted; 1 where there are none at all."""
    union = len(agent) + len(gold) - common.total()
    return common.total() / union if union else 1.0


def _common_rows(rows: Sequence[str], common: Counter[str]) -> list[str]:
    """Return *rows* without those that are not in *common*, or not so often."""
    left, found = Counter(common), []
    for row in rows:
        if left[row]:
            left[row] -= 1
            found.append(row)
    return found


def _round_as_numpy(value: float) -> float:
    """Two digits as numpy rounds, since tau is a numpy number there: 0.165 becomes 0.16 here, and 0.17 by `round`."""
    return round(value * 100) / 100


def _no_rows() -> Score:
    return Score(0.0, success=False, notes=("the last action showed no rows",))
