"""A gold run in fresh sessions like the agent's, and what the differences between the runs say about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from intercode.env.clock_words import asks_the_clock, asks_the_machine
from intercode.env.gold_runner import fresh
from intercode.env.state_hash import state_hash
from intercode.errors import SandboxError
from intercode.rewards.core.file_endings import FinalState, Gold
from intercode.worlds.bash.final_state import read_final_state
from intercode.worlds.bash.fresh_shell import run_exact
from intercode.worlds.bash.paper_shell import run_paper
from intercode.worlds.bash.scoring.exact import gold_fails
from intercode.worlds.bash.scoring.git_tracked import TrackedFiles
from intercode.worlds.bash.scoring.paper_quoting import paper_gold
from intercode_sandbox.deadline import PATIENCE
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox, Session

SECONDS = 15.0
"""What a gold may take of its own time, which others cannot slow (`ProcessorDeadline`).

The published benchmark sets it no limit; one of its golds would walk /proc for ever.
"""

STARVED = "a gold of {:g} s did not come to its end in {:.0f} s: this machine is too busy to judge by it"

APART = 61.0
"""Seconds between the starting times of the two runs: more than a minute, so that `ls -l` shows a difference."""

SHUFFLES = (11, 12, 13)
"""Seeds of the orders in which directories are read. With two files, one order in two is the usual one."""


@dataclass(frozen=True, slots=True)
class FreshSessions:
    """Where golds run: sessions of one *image*, each fresh, with the agent's limits but for time.

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
        """Return one in which nothing has happened yet."""
        limits = replace(self.limits, judging=True)
        return fresh(lambda: self.sandbox.start(self.image, started_at=started_at, limits=limits, shuffle=shuffle))

    def check(self, seconds: float, *, timed_out: bool) -> None:
        """Check that a gold which *timed_out* after *seconds* by the clock has used up time of its own.

        Raises:
            SandboxError: If it has not: then nothing is known of it, and nobody to blame but the machine.
        """
        if timed_out and seconds >= PATIENCE * self.seconds:
            raise SandboxError(STARVED.format(self.seconds, seconds))


@dataclass(frozen=True, slots=True)
class GoldRun:
    """One run of a gold: what it left behind, and whether it was cut."""

    outcome: FinalState
    errors: str = ""
    exit_code: int = 0
    timed_out: bool = False
    corrupt: bool = False


def run_gold(sessions: FreshSessions, text: str, started_at: float) -> Gold:
    """Return the gold's ending under both scorings, run once."""
    return _gold(_paper(sessions, text, started_at), _exact(sessions, text, started_at))


def study_gold(sessions: FreshSessions, text: str, started_at: float) -> Gold:
    """Return the gold's ending, and what more runs tell of it: is it volatile, is its order free, which times it set.

    The second runs start `APART` seconds earlier. A run that was cut is not repeated, and tells nothing.
    """
    began = time.time()
    paper = _paper(sessions, text, started_at)
    paper_again = paper if paper.timed_out else _paper(sessions, text, started_at - APART)
    exact = _exact(sessions, text, started_at)
    again = exact if exact.timed_out else _exact(sessions, text, started_at - APART)
    gold, other = _gold(paper, exact), _gold(paper_again, again)
    if gold.cut or other.cut:
        return replace(gold, cut=True)
    shuffled = _shuffled_runs(exact, again, lambda seed: _exact(sessions, text, started_at, seed))
    return replace(
        gold,
        volatile=_differ(gold, other) or _tells_the_time(text, gold.exact, began),
        order_free=_is_order_free(exact, again, shuffled),
        explicit_times=_explicit_times(gold.exact, other.exact),
        start_times=_start_times(gold.exact) & _start_times(other.exact),
        cut=any(run.timed_out for run in shuffled),
    )


def _tells_the_time(text: str, ending: FinalState, began: float) -> bool:
    """Return whether a gold may do otherwise tomorrow, though two runs of it soon after each other do the same.

    Its *text* asks for the time or for the machine's load, or what it shows or makes has the day or the minute of its
    run in it, as `touch a; ls -l a` has.
    """
    if asks_the_clock(text, "bash") or asks_the_machine(text):
        return True
    shown = "\n".join([ending.answer or "", *(change.path for change in ending.changes)])
    return any(word in shown for at in (began, time.time()) for word in _names_of_moment(at))


def _names_of_moment(at: float) -> Iterator[str]:
    """Yield what programs write for the minute and the day of *at*, seconds since 1970, in UTC and in local time."""
    for moment in (time.gmtime(at), time.localtime(at)):
        for form in (" %H:%M", "T%H:%M", "%b %e", "%a %b", "%Y-%m-%d", "%Y%m%d", "%d/%m/%Y", "%m/%d/%y"):
            yield time.strftime(form, moment)
    yield str(int(at) // 100)


def _differ(one: Gold, other: Gold) -> bool:
    """Return whether two runs of a gold differ in anything that a reward looks at.

    The published reward has no eye for the order of lines, and neither scoring has one for times that came about.
    """
    return _published_parts(one.paper) != _published_parts(other.paper) or _state(one) != _state(other)


def _published_parts(outcome: FinalState) -> tuple[object, ...]:
    return (_lines(outcome.answer or ""), outcome.status, dict(outcome.sums))


def _state(gold: Gold | GoldRun) -> tuple[object, ...]:
    """Return all of an exact run but the order of its lines."""
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
        cut=paper.timed_out or exact.timed_out,
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
        sessions.check(observation.seconds, timed_out=observation.timed_out)
        return GoldRun(
            read_final_state(session, observation.text, sessions.tracked_files), timed_out=observation.timed_out
        )


def other_container(env: Mapping[str, str]) -> Mapping[str, str]:
    """Return *env* of the published benchmark's second container, in which golds run: `env` shows its name."""
    return {**env, "HOSTNAME": env["HOSTNAME"][::-1]} if "HOSTNAME" in env else env


def _exact(sessions: FreshSessions, text: str, started_at: float, shuffle: int = 0) -> GoldRun:
    """As `bash -c GOLD` where shells begin, its standard error apart."""
    with sessions.session(started_at, shuffle) as session:
        workdir = session.image.workdir
        result = run_exact(session, text, cwd=workdir, seconds=sessions.seconds, separate=True)
        session.kill()
        sessions.check(result.seconds, timed_out=result.timed_out)
        ending = read_final_state(
            session,
            result.text,
            sessions.tracked_files,
            where=result.cwd or workdir,
            started_at=started_at,
            archives=sessions.archives,
        )
    return GoldRun(ending, result.errors.decode("utf-8", "replace"), result.exit_code, result.timed_out)


def _shuffled_runs(usual: GoldRun, again: GoldRun, run: Callable[[int], GoldRun]) -> list[GoldRun]:
    """Return what it does when directories are read in other orders; nothing where that need not be asked."""
    return [run(seed) for seed in SHUFFLES] if _has_orders(usual) and not _is_parallel(usual, again) else []


def _is_parallel(usual: GoldRun, again: GoldRun) -> bool:
    """Return whether the usual order already gives another one each time: commands that run in parallel."""
    return again.outcome.answer != usual.outcome.answer and _state(again) == _state(usual)


def _is_order_free(usual: GoldRun, again: GoldRun, shuffled: Sequence[GoldRun]) -> bool:
    """Return whether the order of the lines, and nothing else, changes with the order of directories."""
    if not _has_orders(usual):
        return False
    moved = _is_parallel(usual, again) or any(run.outcome.answer != usual.outcome.answer for run in shuffled)
    return moved and all(_state(run) == _state(usual) for run in shuffled)


def _has_orders(run: GoldRun) -> bool:
    """Return whether there is another order: not of one line and what follows its end."""
    return len(_lines(run.outcome.answer or "")) >= 3 and not run.timed_out


def _lines(text: str) -> list[str]:
    return sorted(text.split("\n"))


def _explicit_times(first: FinalState, second: FinalState) -> frozenset[str]:
    """Return the paths to which both runs gave the same new time, though they began at different ones."""
    times = {change.path: change.after.mtime_ns for change in second.changes if change.after}
    return frozenset(
        change.path
        for change in first.changes
        if change.after
        and change.after.mtime_ns == times.get(change.path)
        and (change.before is None or change.before.mtime_ns != change.after.mtime_ns)
    )


def _start_times(found: FinalState) -> frozenset[str]:
    """Return the changed paths that have the time of their session's start."""
    start = int(found.started_at * 1e9)
    return frozenset(change.path for change in found.changes if change.after and change.after.mtime_ns == start)
