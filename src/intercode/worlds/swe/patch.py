"""How a fix is judged: by what became of the tests that it has to make pass, and of those that must go on passing.

There is no published reward of InterCode for this world. `paper` grades as SWE-bench's own harness does: a skipped test
that has to go on passing is as good as passed, and of several tests with one name the last counts. `exact` gives parts
of the value, and counts neither as passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from intercode.types import Score

CaseStatus = Literal["passed", "xfailed", "skipped", "xpassed", "failed", "error"]

WORST: tuple[CaseStatus, ...] = ("passed", "xfailed", "skipped", "xpassed", "failed", "error")
"""All statuses; of several tests with one name, the one whose status stands last here counts."""

PASSED = ("passed", "xfailed")


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One test that ended.

    Attributes:
        names: All names that it may have.
        status: How it ended.
    """

    names: tuple[str, ...]
    status: CaseStatus


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """One run of a repository's tests. A run that cannot be trusted has no outcomes.

    Attributes:
        outcomes: The tests that ended, in order.
        notes: Notes for people: out of time, died, forged.
    """

    outcomes: tuple[CaseOutcome, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PatchEnding:
    """All that both scorings look at.

    Attributes:
        fail_to_pass: Tests that the patch has to mend.
        pass_to_pass: Tests that it must not break.
        run: What the tests came to. None where the agent changed nothing that counts: no test was run.
        left_out: Changed paths in the agent's repository that could not be taken over.
        passing_before: Those of *fail_to_pass* that pass without a patch: `exact` takes them for *pass_to_pass*.
    """

    fail_to_pass: Sequence[str]
    pass_to_pass: Sequence[str]
    run: SuiteRun | None
    left_out: Sequence[str] = ()
    passing_before: Sequence[str] = ()


def paper(ending: PatchEnding) -> Score:
    """1 if every test that has to pass does, else 0, graded as SWE-bench does. Without a change it is 0."""
    if ending.run is None:
        return _nothing(ending)
    last = {name: outcome.status for outcome in ending.run.outcomes for name in _names_of(outcome)}
    fixed = [last.get(name) in PASSED for name in ending.fail_to_pass]
    still_passing = [last.get(name) in (*PASSED, "skipped") for name in ending.pass_to_pass]
    success = all(fixed) and all(still_passing)
    return Score(float(success), success, _parts(fixed, still_passing), _notes(ending, ending.run))


def exact(ending: PatchEnding) -> Score:
    """Return the share of tests mended, times the share of tests kept working.

    A success, and 1, only if both are whole.
    """
    if ending.run is None:
        return _nothing(ending)
    worst, ending = worst_statuses(ending.run), _as_seen(ending)
    fixed = [worst.get(name) in PASSED for name in ending.fail_to_pass]
    still_passing = [worst.get(name) in PASSED for name in ending.pass_to_pass]
    parts = _parts(fixed, still_passing)
    value = parts["fail_to_pass"] * parts["pass_to_pass"]
    success = all(fixed) and all(still_passing)
    return Score(value, success, parts, (*_notes(ending, ending.run), *_failing(ending, worst)))


def _as_seen(ending: PatchEnding) -> PatchEnding:
    """Return *ending* with the tests that pass without a patch among those that must not be broken."""
    early = frozenset(ending.passing_before)
    to_mend = [name for name in ending.fail_to_pass if name not in early]
    return replace(ending, fail_to_pass=to_mend, pass_to_pass=[*ending.pass_to_pass, *ending.passing_before])


def ending(run: SuiteRun, names: Iterable[str], status: CaseStatus) -> frozenset[str]:
    """Return those of *names* under which some test has ended with *status*."""
    found = [name for outcome in run.outcomes if outcome.status == status for name in _names_of(outcome)]
    return frozenset(found) & frozenset(names)


def missing(run: SuiteRun, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of *names* under which no test has ended."""
    found = worst_statuses(run)
    return tuple(name for name in names if name not in found)


def worst_statuses(run: SuiteRun) -> Mapping[str, CaseStatus]:
    """Return the worst status of each name."""
    found: dict[str, CaseStatus] = {}
    for outcome in run.outcomes:
        for name in _names_of(outcome):
            found[name] = max(found.get(name, outcome.status), outcome.status, key=WORST.index)
    return found


def _names_of(outcome: CaseOutcome) -> Iterator[str]:
    """Yield all names by which data sets call a test.

    Cut at the first blank, as in SWE-bench, and bare, as SymPy does.
    """
    for name in outcome.names:
        yield name
        if "::" in name:
            yield name.split()[0]
            yield name.rpartition("::")[2]


def _parts(fixed: Sequence[bool], still_passing: Sequence[bool]) -> dict[str, float]:
    return {"fail_to_pass": _share(fixed), "pass_to_pass": _share(still_passing)}


def _share(passed: Sequence[bool]) -> float:
    return sum(passed) / len(passed) if passed else 1.0


def _notes(ending: PatchEnding, run: SuiteRun | None) -> tuple[str, ...]:
    kinds = (("left out", ending.left_out), ("passing without a fix", ending.passing_before))
    found = tuple(f"{kind}: {_join_names(names)}" for kind, names in kinds if names)
    return found if run is None else (*found, *run.notes)


def _failing(ending: PatchEnding, worst: Mapping[str, CaseStatus]) -> tuple[str, ...]:
    """For people: one line for each kind of failure, with the first names."""
    lines, otherwise = [], "did not end" if ending.run and ending.run.notes else "no such test was run"
    for kind, names in (("not mended", ending.fail_to_pass), ("broken", ending.pass_to_pass)):
        failing = [f"{name} ({worst.get(name, otherwise)})" for name in names if worst.get(name) not in PASSED]
        if failing:
            lines.append(f"{kind}: {_join_names(failing)}")
    return tuple(lines)


def _join_names(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _nothing(ending: PatchEnding) -> Score:
    return Score(0.0, success=False, notes=("nothing that counts was changed", *_notes(ending, None)))
