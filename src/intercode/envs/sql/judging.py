"""How an ending is judged by `exact`: what it asks the database beside, and the score."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from intercode.databases.base import Database, DatabaseSource
from intercode.envs.sql.gold_cache import SqlGoldCache
from intercode.envs.sql.subset_data import SubsetData
from intercode.rewards.sql.exact import exact, may_be_constant, question
from intercode.rewards.sql.final_state import SqlEnding
from intercode.types import Score


def judge_exactly(
    golds: SqlGoldCache,
    database: Database,
    source: DatabaseSource,
    name: str,
    ending: SqlEnding,
    earlier: Sequence[str],
    *,
    only_success: bool = False,
    subsets: SubsetData | None = None,
) -> tuple[SqlEnding, Score]:
    """*ending* with the gold's probe, and its score; *earlier* are texts that were run before the last.

    *golds* play on *database*, on the database *name* of *source*. With *only_success* the score is right in whether
    it is a success, and may be too high where it is none. *subsets* is of the same database, for who judges often.

    Raises:
        MachineError: If the database breaks.
    """
    statement = question(ending)
    if statement is not None:
        ending = replace(ending, probe=golds.probe(database, source, name, statement))
    score = exact(ending)
    # what was made up is only ever taken from an answer: one that is not right stays so
    if may_be_constant(ending, score) and (score.success or not only_success):
        before = golds.before(database, source, name)
        data: AbstractContextManager[SubsetData]
        data = SubsetData(golds, source, name) if subsets is None else nullcontext(subsets)
        with data as parts:
            score = exact(replace(ending, subsets=parts.results(before, earlier, ending)))
    return ending, score
