"""All golds of a task looked at, whatever its world."""

from __future__ import annotations

from itertools import chain

from intercode.env.env import Env
from intercode.errors import MachineError
from intercode.types import Task
from intercode.types.gold_warnings import GoldWarning
from intercode.worlds.bash import BashEnv
from intercode.worlds.bash import gold_lint as bash
from intercode.worlds.sql import SqlEnv
from intercode.worlds.sql.gold_lint import lint as sql


def lint(env: Env, task: Task) -> tuple[GoldWarning, ...]:
    """Return what is odd about the golds of *task*, which *env* has just played; nothing where the machine fails.

    Only golds that are statements, and commands that are judged by the files that they leave, are looked at.
    """
    if isinstance(env, SqlEnv):
        try:
            place = env.database, env.dataset.source(task), env.dataset.database(task)
            return tuple(chain.from_iterable(sql.lint(task, text, *place) for text in task.golds))
        except MachineError:
            return ()
    if not isinstance(env, BashEnv) or not env.world_spec.has_criteria or env.session is None:
        return ()
    found = (bash.lint(task, text, gold) for text, gold in zip(task.golds, env.gold_endings(), strict=True))
    return tuple(chain.from_iterable(found))
