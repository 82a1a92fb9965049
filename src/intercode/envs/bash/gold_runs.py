"""A gold run in fresh sessions like the agent's, and what the differences between the runs say about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property

from intercode.envs.bash.final_state import read_final_state
from intercode.envs.bash.fresh_shell import run_and_locate
from intercode.envs.bash.paper_shell import run_paper
from intercode.envs.core.gold_runner import fresh
from intercode.envs.core.state_hash import state_hash
from intercode.rewards.bash.exact import gold_fails
from intercode.rewards.bash.final_state import FinalState, Gold
from intercode.rewards.bash.git_tracked import TrackedFiles
from intercode.rewards.bash.paper_quoting import paper_gold
from intercode.sandboxes.base import Limits, Sandbox, Session
from intercode.sandboxes.images import Image

SECONDS = 15.0
"""What a gold may take. The published benchmark sets it no limit; one of its golds would walk /proc for ever."""

APART = 61.0
"""Seconds between the starting times of the two runs: more than a minute, so that `ls -l` shows a difference."""

SHUFFLES = (11, 12, 13)
"""Seeds of the orders in which directories are read. With two files, one order in two is the usual one."""


@dataclass(frozen=True, slots=True)
class FreshSessions:
    """Where golds run: sessions of one *image*, each fresh, with the agent's limits.

    With *archives* what they leave behind is told by the members of archives (`outcome`). Without *tracked* nothing is
    read that only `paper` looks at.
    """

    sandbox: Sandbox
    image: Image
    limits: Limits
    tracked_files: TrackedFiles | None
    seconds: float = SECONDS
    archives: bool = False

    def session(self, started_at: float, shuffle: int = 0) -> AbstractContextManager[Session]:
        """One in which nothing has happened yet."""
        return fresh(lambda: self.sandbox.start(self.image, started_at=started_at, limits=self.limits, shuffle=shuffle))


@dataclass(frozen=True, slots=True)
class GoldRun:
    """One run of a gold: what it left behind, and whether it was cut."""

    outcome: FinalState
    errors: str = ""
    exit_code: int = 0
    timed_out: bool = False
    corrupt: bool = False


def run_gold(sessions: FreshSessions, text: str, started_at: float) -> Gold:
    """The gold's ending under both scorings, run once."""
    return _gold(_paper(sessions, text, started_at), _exact(sessions, text, started_at))


def study_gold(sessions: FreshSessions, text: str, started_at: float) -> Gold:
    """The gold's ending, and what more runs tell of it: is it volatile, is its order free, which times did it set.

    The second runs start `APART` seconds earlier. A run that was cut is not repeated.
    """
    paper = _paper(sessions, text, started_at)
    paper_again = paper if paper.timed_out else _paper(sessions, text, started_at - APART)
    exact, again = _exact_twice(sessions, text, started_at)
    gold = _compared(_gold(paper, exact), _gold(paper_again, again))
    return replace(gold, order_free=_is_order_free(exact, again, lambda seed: _exact(sessions, text, started_at, seed)))


@dataclass(frozen=True)
class ExactStudy:
    """What runs of a gold tell of it for `exact` alone; what `paper` compares is left empty.

    Attributes:
        gold: Its ending, as if its order were not free.
        again: The ending of the second run.
        tell_order: Finds out whether its order is free, by more runs where it takes them.
        may_be_order_free: Whether that is to be asked.
    """

    gold: Gold
    again: FinalState
    tell_order: Callable[[], bool]
    may_be_order_free: bool

    @cached_property
    def is_order_free(self) -> bool:
        """Whether its order is free: the runs that tell it are made when somebody asks."""
        return self.may_be_order_free and self.tell_order()


def study_exact(sessions: FreshSessions, text: str, started_at: float) -> ExactStudy:
    """The same for `exact` alone, where whether the order is free is found out only if somebody asks."""
    exact, again = _exact_twice(sessions, text, started_at)
    gold = _compared(_gold(GoldRun(FinalState()), exact), _gold(GoldRun(FinalState()), again))

    def tell_order() -> bool:
        return _is_order_free(exact, again, lambda seed: _exact(sessions, text, started_at, seed))

    return ExactStudy(gold, again.outcome, tell_order, _has_orders(exact))


def _exact_twice(sessions: FreshSessions, text: str, started_at: float) -> tuple[GoldRun, GoldRun]:
    first = _exact(sessions, text, started_at)
    return first, first if first.timed_out else _exact(sessions, text, started_at - APART)


def _compared(gold: Gold, again: Gold) -> Gold:
    """*gold* with what a second run of it tells."""
    return replace(
        gold,
        volatile=differ(gold, again),
        explicit_times=_explicit_times(gold.exact, again.exact),
        start_times=_start_times(gold.exact) & _start_times(again.exact),
    )


def ending_name(ending: FinalState) -> str:
    """The same for endings between which no reward makes a difference but by times."""
    return state_hash(ending.changes, ending.moved_to, ending.answer or "")


def differ(one: Gold, other: Gold) -> bool:
    """Whether two runs of a gold differ in anything that a reward looks at.

    The published reward has no eye for the order of lines, and neither scoring has one for times that came about.
    """
    return _published_parts(one.paper) != _published_parts(other.paper) or _state(one) != _state(other)


def _published_parts(outcome: FinalState) -> tuple[object, ...]:
    return (_lines(outcome.answer or ""), outcome.status, dict(outcome.sums))


def _state(gold: Gold | GoldRun) -> tuple[object, ...]:
    """All of an exact run but the order of its lines."""
    outcome = gold.exact if isinstance(gold, Gold) else gold.outcome
    return (
        state_hash(outcome.changes),
        outcome.moved_to,
        _lines(outcome.answer or ""),
        _lines(gold.errors),
        gold.exit_code,
    )


def _gold(paper: GoldRun, exact: GoldRun) -> Gold:
    return Gold(
        paper=paper.outcome,
        exact=exact.outcome,
        errors=exact.errors,
        exit_code=exact.exit_code,
        corrupt=paper.corrupt,
        failed=exact.timed_out or gold_fails(exact.outcome, exact.errors),
    )


def _paper(sessions: FreshSessions, text: str, started_at: float) -> GoldRun:
    """Under the published quoting; nothing is run of a gold that cannot even be split."""
    command = paper_gold(text)
    if command is None:
        return GoldRun(FinalState(), corrupt=True)
    with sessions.session(started_at) as session:
        env = other_container(session.image.env)
        observation = run_paper(session, command, seconds=sessions.seconds, keep=True, env=env)
        session.kill()
        return GoldRun(
            read_final_state(session, observation.text, sessions.tracked_files), timed_out=observation.timed_out
        )


def other_container(env: Mapping[str, str]) -> Mapping[str, str]:
    """The published benchmark's golds run in a second container, and `env` shows its name."""
    return {**env, "HOSTNAME": env["HOSTNAME"][::-1]} if "HOSTNAME" in env else env


def _exact(sessions: FreshSessions, text: str, started_at: float, shuffle: int = 0) -> GoldRun:
    """As `bash -c GOLD` where shells begin, its standard error apart."""
    with sessions.session(started_at, shuffle) as session:
        workdir = session.image.workdir
        result, where = run_and_locate(session, text, cwd=workdir, seconds=sessions.seconds, separate=True)
        session.kill()
        ending = read_final_state(
            session,
            result.text,
            sessions.tracked_files,
            where=where or workdir,
            started_at=started_at,
            archives=sessions.archives,
        )
    return GoldRun(ending, result.errors.decode("utf-8", "replace"), result.exit_code, result.timed_out)


def _is_order_free(usual: GoldRun, again: GoldRun, shuffled: Callable[[int], GoldRun]) -> bool:
    """Whether nothing but the order of the lines changes, and that does, when directories are read in another order.

    So it is, too, where the usual order already gives another one each time: commands that run in parallel.
    """
    answer = usual.outcome.answer
    if not _has_orders(usual):
        return False
    if again.outcome.answer != answer and _state(again) == _state(usual):
        return True
    runs = [shuffled(seed) for seed in SHUFFLES]
    moved = any(run.outcome.answer != answer for run in runs)
    return moved and all(_state(run) == _state(usual) for run in runs)


def _has_orders(run: GoldRun) -> bool:
    """Whether there is another order: not of one line and what follows its end."""
    return len(_lines(run.outcome.answer or "")) >= 3 and not run.timed_out


def _lines(text: str) -> list[str]:
    return sorted(text.split("\n"))


def _explicit_times(first: FinalState, second: FinalState) -> frozenset[str]:
    """The paths to which both runs gave the same new time, though they began at different ones."""
    times = {change.path: change.after.mtime_ns for change in second.changes if change.after}
    return frozenset(
        change.path
        for change in first.changes
        if change.after
        and change.after.mtime_ns == times.get(change.path)
        and (change.before is None or change.before.mtime_ns != change.after.mtime_ns)
    )


def _start_times(found: FinalState) -> frozenset[str]:
    """The changed paths that have the time of their session's start."""
    start = int(found.started_at * 1e9)
    return frozenset(change.path for change in found.changes if change.after and change.after.mtime_ns == start)
