"""The software engineering world: a repository with an issue, a shell to mend it, and hidden tests to judge the fix."""

from __future__ import annotations

from typing import Literal, Unpack

from intercode.datasets.base import Dataset
from intercode.datasets.repositories import ROOT, Exam
from intercode.envs.base import EnvOptions
from intercode.envs.bash import BashEnv
from intercode.envs.core.fingerprint import fingerprint
from intercode.envs.core.fixes import Fix, in_repository, read_fix
from intercode.envs.core.judge import try_out
from intercode.rewards.patch import PatchEnding, SuiteRun, exact, paper
from intercode.sandboxes.base import Limits
from intercode.types import Scores

LIMITS = Limits(seconds=120, memory=2 << 30, processes=512, disk=1 << 30, inodes=1 << 18)
"""What an agent may use, unless told: enough to run a project's tests."""

BY_PRODUCTS = ("/.git/", "/__pycache__/", "/.pytest_cache/")
"""Folders that hold times, and differ between episodes in which the same was done."""


class SweEnv(BashEnv):
    """`intercode/SWE-v1`. An action is what is typed into a shell that begins in the repository, `/testbed`.

    *shell* is "fresh" (each command its own Bash; files and the working directory live on) or "persistent" (one Bash
    that stays). At the end the files that differ from the image are read from outside, put into a clean twin together
    with the hidden tests, and tried out there: whatever the agent did to git, to tests, or to other programs counts for
    nothing.
    """

    world = "swe"
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

    def score(self) -> Scores:
        """Both scores of the repository as it stands."""
        exam = Exam.of(self.task)
        fix = read_fix(self.live, exam)
        run = None if fix.is_empty else self._try_out(exam, fix)
        ending = PatchEnding(exam.fail_to_pass, exam.pass_to_pass, run, fix.left_out)
        return {"paper": paper(ending), "exact": exact(ending)}

    def _try_out(self, exam: Exam, fix: Fix) -> SuiteRun:
        """What the tests say of *fix*; they are not run again for the fix that they were run for last."""
        if self._tried is None or self._tried[:2] != (self.task.id, fix.digest):
            run = try_out(self.sandbox, self.image, exam, fix, limits=self.live.limits, started_at=self.started_at)
            self._tried = (self.task.id, fix.digest, run)
        return self._tried[2]

    def fingerprint(self) -> str:
        """The state of the repository's files, and the working directory."""
        changes = in_repository(self.live.changes())
        steady = [each for each in changes if not any(name in f"/{each.path}/" for name in BY_PRODUCTS)]
        return fingerprint(steady, self.cwd)
