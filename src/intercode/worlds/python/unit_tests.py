"""Both rewards of the Python world: hidden tests passed, and the published comparison with the gold's results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intercode.types import Score


@dataclass(frozen=True, slots=True)
class TestResult:
    """One hidden test.

    Attributes:
        passed: Whether it passed.
        why: Why it did not, for people; it does not tell what the test is.
    """

    __test__ = False  # pytest takes it for a class of tests otherwise

    passed: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """What the published `execute` answered to each test.

    Attributes:
        agent: The answers with the agent's function.
        gold: The answers with the gold.
        problem: Why there are none: the published benchmark crashes then.
    """

    agent: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PythonEnding:
    """What both scorings look at.

    Attributes:
        results: The results of the hidden tests; empty if nothing was handed in.
        published: The published run. None if the task has none.
    """

    results: tuple[TestResult, ...]
    published: PublishedRun | None = None


def by_tests(ending: PythonEnding) -> Score:
    """Return the world's score under `exact`."""
    return exact(ending.results)


def by_published_run(ending: PythonEnding) -> Score:
    """Return the world's score under `paper`; that of `exact` for tasks that the published benchmark knows not."""
    return paper_unknown(exact(ending.results)) if ending.published is None else paper(ending.published)


def exact(results: Sequence[TestResult]) -> Score:
    """Return the fraction of hidden tests passed; a success where all are. Without results nothing was handed in."""
    if not results:
        return Score(0.0, success=False, notes=("nothing was handed in",))
    passed = sum(result.passed for result in results)
    failed = [f"test {number}: {result.why}" for number, result in enumerate(results, 1) if not result.passed]
    more = (f"and {len(failed) - 3} more",) if len(failed) > 3 else ()
    value = passed / len(results)
    return Score(value, not failed, {"tests": value}, (*failed[:3], *more))


def paper(run: PublishedRun) -> Score:
    """Return the published reward for MBPP.

    The fraction of tests whose result is the gold's, the same failure included.
    """
    if run.problem:
        return Score(0.0, success=False, notes=(run.problem,))
    same = [mine == gold for mine, gold in zip(run.agent, run.gold, strict=True)]
    value = sum(same) / len(same) if same else 0.0
    return Score(value, value == 1, {"tests": value})


def paper_unknown(score: Score) -> Score:
    """Return the score of tasks that the published benchmark has no reward for: that of `exact`."""
    return Score(score.value, score.success, score.parts, ("the published benchmark has no reward for such tasks",))
