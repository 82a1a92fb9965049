"""The `exact` reward of the SQL world: what it asks the untouched database beside, and the score."""

from __future__ import annotations

from dataclasses import replace

from intercode.types import Score
from intercode.worlds.sql.scoring.exact import VOID, exact, has_to_follow, least, question
from intercode.worlds.sql.scoring.final_state import SqlEnding, Untouched
from intercode.worlds.sql.scoring.lookup import asks_plainly, asks_plainly_of_the_same, looks_up
from intercode.worlds.sql.scoring.question import may_ask_the_same
from intercode.worlds.sql.variant_data import shows_number

SPARE = 3
"""Variants from which on an answer may miss one: what a request leaves open shows in some of them.

Not where it computes the one number that is asked for from others: in small numbers much agrees by chance.
"""


def judge_exactly(ending: SqlEnding) -> Score:
    """Return the world's score of *ending* under `exact`.

    Raises:
        MachineError: If the database breaks.
    """
    untouched, statement = ending.untouched, question(ending)
    if untouched is not None and statement is not None:
        ending = replace(ending, probe=untouched.probe(statement))
    score = exact(ending)
    # an answer that is not right here stays so: other rows only ever take from it
    if untouched is None or not has_to_follow(ending, score):
        return score
    found = _on_other_rows(untouched, ending, score)
    if score.success and not found.success and not ending.earlier and looks_up(*_statements(ending)):
        return score
    return found


def _on_other_rows(untouched: Untouched, ending: SqlEnding, score: Score) -> Score:
    """Return what the answer is worth on the variant on which it is worth least, but for one of `SPARE`.

    At most *score*.
    """
    found = list[Score]()
    for there in untouched.variants(ending):
        found.append(exact(there))
        if sum(not each.value for each in found) > 1:
            break
    found.sort(key=lambda each: each.value)
    mine, gold = _statements(ending)
    is_plain = asks_plainly(mine) if found else asks_plainly_of_the_same(mine, gold)
    if score.success and len(found) < SPARE and not is_plain and not may_ask_the_same(mine, gold):
        return Score(0.0, success=False, notes=(VOID,))
    may_miss = len(found) >= SPARE and (is_plain or not shows_number(ending.gold.result))
    return least(score, found[may_miss]) if found else score


def _statements(ending: SqlEnding) -> tuple[str, str]:
    return ending.agent.statement or "", ending.gold.statement or ""
