"""The software engineering world: a repository with an issue, a shell to mend it, and hidden tests to judge the fix."""

from __future__ import annotations

from functools import partial
from typing import Literal, Unpack

from intercode.datasets.base import Dataset
from intercode.datasets.repositories import ROOT, TestSpec
from intercode.env.options import EnvOptions
from intercode.rewards.base import EndingReward
from intercode.types import Task
from intercode.worlds.bash import BashEnv
from intercode.worlds.swe.agent_patch import AgentPatch, in_repository, read_patch
from intercode.worlds.swe.patch import PatchEnding, SuiteRun, exact, paper
from intercode.worlds.swe.spec import SPEC
from intercode.worlds.swe.task_check import SolvabilityCheck
from intercode.worlds.swe.test_runner import run_before_or_after, run_hidden_tests
from intercode_sandbox.sandbox import Limits

LIMITS = Limits(seconds=120, memory=2 << 30, processes=512, disk=1 << 30, inodes=1 << 18)
"""What an agent may use, unless told: enough to run a project's tests."""

BY_PRODUCTS = ("/.git/", "/__pycache__/", "/.pytest_cache/")
"""Folders that hold times, and differ between episodes in which the same was done."""


class SweEnv(BashEnv):
    """`intercode/SWE-v1`. An action is what is typed into a shell that begins in the repository, `/testbed`.

    *shell* is "fresh" (each command its own Bash; files and the working directory live on) or "persistent" (one Bash
    that stays). At the end the files that differ from the image are read from outside, put into a fresh session
    together with the hidden tests, and tried out there: whatever the agent did to git, to tests, or to other programs
    counts for nothing.
    """

    world_spec = SPEC
    rewards = {"paper": EndingReward(paper), "exact": EndingReward(exact)}
    paper_shell = False

    def __init__(
        self,
        dataset: str | Dataset = "starter-swe",
        *,
        shell: Literal["fresh", "persistent"] = "fresh",
        **options: Unpack[EnvOptions],
    ) -> None:
        options["limits"] = options.get("limits") or LIMITS
        super().__init__(dataset, shell=shell, **options)
        self._tried: tuple[str, str, SuiteRun] | None = None

    def prepare(self) -> None:
        """A fresh session, and a shell in its repository."""
        super().prepare()
        assert self._shell is not None
        self._shell.cwd = ROOT

    def ending(self, task: Task) -> PatchEnding:
        """Return what the hidden tests say of the repository as it stands.

        Raises:
            ImageError: If no fix can earn 1 here, or the tests to be mended pass without one.
        """
        spec = TestSpec.of(task)
        fix = read_patch(self.current_session, spec)
        run = None if fix.is_empty else self._try_out(spec, fix)
        ending = PatchEnding(spec.fail_to_pass, spec.pass_to_pass, run, fix.left_out)
        if run is not None:
            check, run_tests = SolvabilityCheck.of(self.sandbox), partial(self._run_tests, spec)
            ending = check.examine(task.id, self.image.digest, spec, ending, run_tests)
        return ending

    def keep_golds(self) -> int:
        """See `Env.keep_golds`: a fix is judged by its tests, and nothing of that is kept."""
        return 0

    def fault(self) -> str:
        """See `Env.fault`: the task's own fix, which the hidden tests refuse here.

        Raises:
            ImageError: If no fix can earn 1 here, or the tests to be mended pass without one.
        """
        if self.task.gold is None:
            return ""
        self.execute(self.task.gold)
        found = exact(self.ending(self.task))
        return "" if found.success else f"its own fix earns {found.value:g}"

    @property
    def _test_limits(self) -> Limits:
        """The agent's, with the network of what judges."""
        return self.current_session.limits.with_network(self.judging_network)

    def _run_tests(self, spec: TestSpec, gold: str) -> SuiteRun:
        """Return what the tests say of *gold* alone, "" for nothing."""
        limits = self._test_limits
        return run_before_or_after(self.sandbox, self.image, spec, limits=limits, started_at=self.started_at, gold=gold)

    def _try_out(self, spec: TestSpec, fix: AgentPatch) -> SuiteRun:
        """Return what the tests say of *fix*; they are not run again for the fix that they were run for last."""
        if self._tried is None or self._tried[:2] != (self.task.id, fix.digest):
            run = run_hidden_tests(
                self.sandbox, self.image, spec, fix, limits=self._test_limits, started_at=self.started_at
            )
            self._tried = (self.task.id, fix.digest, run)
        return self._tried[2]

    def state_hash(self) -> str:
        """Return the state of the repository's files, and the working directory."""
        changes = in_repository(self.current_session.changes())
        steady = [each for each in changes if not any(name in f"/{each.path}/" for name in BY_PRODUCTS)]
        return self.hash_of(steady, self.cwd)
