"""A task itself examined: a verdict is no verdict where no fix can earn 1, or where doing nothing mends the tests.

Both are asked once for a task, and only where they matter: the first where a fix falls short, the second where it makes
a test pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from intercode.datasets.repositories import TestSpec
from intercode.env.gold_runner import GoldRunner
from intercode.errors import ImageError
from intercode.worlds.swe.patch import PASSED, PatchEnding, SuiteRun, exact, missing, paper, worst_statuses

RunTests = Callable[[str], SuiteRun]
"""Runs the tests with a patch alone; "" for none."""

MOST = 5
"""Names of tests that an error tells."""


class SolvabilityCheck(GoldRunner):
    """Knows of each task which tests stand in the way of every fix."""

    def examine(self, task: str, digest: str, spec: TestSpec, ending: PatchEnding, run_tests: RunTests) -> PatchEnding:
        """Return *ending* with the tests that need no mending.

        Args:
            task: The task's id.
            digest: That of its image.
            spec: The tests of the task.
            ending: What the agent's fix came to.
            run_tests: Runs the tests with a patch alone.

        Raises:
            ImageError: If *ending* says nothing of the agent. Names the tests.
        """
        statuses = worst_statuses(ending.run or SuiteRun())
        mended = any(statuses.get(name) in PASSED for name in spec.fail_to_pass)
        passing = self.once((digest, spec, "before"), partial(_pass_before, spec, run_tests)) if mended else ()
        if passing and set(passing) == set(spec.fail_to_pass):
            names = _names(passing)
            raise ImageError(f"{task}: {names}: passed without a fix; FAIL_TO_PASS names tests that fail before it")
        ending = replace(ending, passing_before=passing)
        is_whole = paper(ending).success and exact(ending).success
        why = (
            ""
            if is_whole or not spec.patch
            else self.once((digest, spec, "gold"), partial(_fail_with_gold, spec, run_tests))
        )
        if why:
            raise ImageError(f"{task}: {why}")
        return ending


def _pass_before(spec: TestSpec, run_tests: RunTests) -> tuple[str, ...]:
    """Return the tests of FAIL_TO_PASS that pass without a fix."""
    worst = worst_statuses(run_tests(""))
    return tuple(name for name in spec.fail_to_pass if worst.get(name) == "passed")


def _fail_with_gold(spec: TestSpec, run_tests: RunTests) -> str:
    """Return which tests no fix can make pass, since the gold does not, and does not again; "" for none."""
    for _ in range(2):
        run = run_tests(spec.patch)
        if run.notes or paper(PatchEnding(spec.fail_to_pass, spec.pass_to_pass, run)).success:
            return ""
    if absent := missing(run, spec.names):
        return f"{_names(absent)}: no test has this name, also with the gold; FAIL_TO_PASS or PASS_TO_PASS names it"
    worst = worst_statuses(run)
    failing = [f"{name} ({worst[name]})" for name in spec.names if worst[name] not in PASSED]
    return f"{_names(failing)}: not passed with the gold either; the tests need another image or other settings"


def _names(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(found[:MOST]) + (f" and {len(found) - MOST} more" if len(found) > MOST else "")
