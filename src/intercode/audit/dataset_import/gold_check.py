"""A gold run for real: twice in fresh worlds, judged once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from intercode import world_specs
from intercode.audit.dataset_import.finding import GoldFinding
from intercode.audit.dataset_import.text_clues import (
    complaints,
    named_paths,
    wants_network,
    wants_terminal,
)
from intercode.audit.gold_lint import lint
from intercode.env.clock_words import asks_the_clock
from intercode.env.env import Env
from intercode.env.state_hash import state_hash
from intercode.errors import MachineError
from intercode.runs.callback import ProgressCallback
from intercode.runs.job import Job
from intercode.runs.parallel_map import ParallelMap
from intercode.types import Action, Score, Scores, Task, Turn

APART = 61.0
"""Seconds between the times at which the two worlds begin: more than a minute, so that clocks show a difference."""


@dataclass(frozen=True)
class GoldCheck:
    """Looks at the golds of *job*, *parallel* at a time. `run` may be called once."""

    job: Job
    parallel: int = 1
    callback: ProgressCallback = field(default_factory=ProgressCallback)

    def run(self) -> tuple[GoldFinding, ...]:
        """Return what was found out, task by task in the job's order.

        Raises:
            InterruptedRunError: After Ctrl-C.
        """
        return ParallelMap(self.job.tasks, (self.job,), check_gold, self.parallel, self.callback).run()


def check_gold(envs: Sequence[Env], task: Task, moved: Callable[[], None]) -> GoldFinding:
    """Run the gold of *task* in the first of *envs*. What the machine fails at is in the finding."""
    env, now, world = envs[0], time.time(), world_specs.find(task.world)
    try:
        moved()
        first, made, changes = _play(env, task, now)
        scores = _judge_turn(env, first)
        absent = [path for path in named_paths(task.gold or "") if path not in made]
        moved()
        second, _, _ = _play(env, task, now - APART)
        again_scores = _judge_turn(env, second)
        warnings = () if scores is None or second.observation.timed_out else lint(env, task)
        missing = (*_absent(env, task, absent), *complaints(first.observation.text))
        others = tuple(_bad_alternatives(env, task, now))
    except MachineError as error:
        return GoldFinding(task.id, error=f"{type(error).__name__}: {error}")
    seen, again = first.observation, second.observation
    same = (seen.text, first.state_hash, _exact(scores)) == (again.text, second.state_hash, _exact(again_scores))
    clock = () if world.gold_is_answer else asks_the_clock(task.gold or "", world.language)
    score = _exact(scores)
    return GoldFinding(
        task=task.id,
        runs=seen.exit_code in (0, None) and not seen.timed_out,
        exit_code=seen.exit_code,
        timed_out=seen.timed_out,
        truncated=seen.truncated,
        deterministic=same and not clock,
        changes=changes,
        value=0.0 if score is None else score.value,
        success=score is not None and score.success and not others,
        network=wants_network(task.gold or "", seen.text),
        clock=clock,
        terminal=wants_terminal(seen.text),
        missing=tuple(dict.fromkeys(missing)),
        notes=(*others, *(() if score is None else score.notes)),
        warnings=warnings,
    )


def _play(env: Env, task: Task, started_at: float) -> tuple[Turn, set[str], bool]:
    """Return the gold's action in a fresh world, those paths in it that are there now, and whether it changed any."""
    env.start_episode(task, seed=0, started_at=started_at)
    before = env.state_hash() if env.session is None else state_hash(env.session.changes())
    turn = env.take_action(world_specs.find(task.world).gold_actions(env.task.gold)[0])
    after = turn.state_hash if env.session is None else state_hash(env.session.changes())
    made = {path for path in named_paths(task.gold or "") if _is_there(env, path)}
    return turn, made, after != before


def _judge_turn(env: Env, turn: Turn) -> Scores | None:
    """Return both scores of the state after the gold's *turn*.

    Not of a gold that ran out of time, which would take long.
    """
    is_over = env.status is not None or turn.observation.timed_out
    return turn.scores if is_over else env.take_action(Action("submit")).scores


def _bad_alternatives(env: Env, task: Task, started_at: float) -> Iterator[str]:
    """Yield what is said of each alternative gold whose own ending does not score 1."""
    for number, alone in enumerate(task.alternatives, 1):
        turn, _, _ = _play(env, alone, started_at)
        score = _exact(_judge_turn(env, turn))
        if score is not None and not score.success:
            yield f"alternative gold {number} scores {score.value:.2f}"


def _exact(scores: Scores | None) -> Score | None:
    return None if scores is None else scores["exact"]


def _absent(env: Env, task: Task, paths: Sequence[str]) -> Iterator[str]:
    """Yield those of *paths* that are not in an untouched world either."""
    if env.session is not None and paths:
        env.start_episode(task, seed=0)
        yield from (path for path in paths if not _is_there(env, path))


def _is_there(env: Env, path: str) -> bool:
    """Return whether a path is there, looked at from outside. Relative ones begin at the root, as commands do."""
    if env.session is None:
        return True
    try:
        env.session.read("/root" + path[1:] if path.startswith("~") else "/" + path.lstrip("/"), limit=1)
    except FileNotFoundError:
        return False
    except OSError:  # a folder, a device: there, and no file
        return True
    return True
