"""The Harbor world: a shell in a task's own environment, judged by the script that the task brings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Literal, Unpack

from intercode.datasets.base import Dataset
from intercode.datasets.harbor_tasks import HarborTask
from intercode.envs.bash import BashEnv
from intercode.envs.bash.branching import BashBranching
from intercode.envs.bash.shell import BASH
from intercode.envs.core.gold_runner import GoldRunner, gold_session
from intercode.envs.core.options import EnvOptions
from intercode.envs.core.snapshots import SavedState
from intercode.envs.harbor.verifier import run_verifier
from intercode.errors import SandboxError, SessionLostError, SnapshotError, UserError
from intercode.rewards.harbor.reward_file import VerifierEnding, score
from intercode.sandboxes.base import Session
from intercode.sandboxes.core.naming import sandbox_name
from intercode.types import Scores
from intercode.worlds.harbor import SPEC

UNFIT = "{} cannot play a task of Harbor's: it is judged in a copy, with paths of its own; --sandbox embedded or docker"
WAY_OUT = "its tests may need a network or programs that are not in the image; see docs/how-to/harbor.md"


class HarborBranching(BashBranching["HarborEnv"]):
    """See `BashBranching`. A state may be of another task than the last one here."""

    def load(self, state: SavedState) -> None:
        """See `Branching.load`."""
        self.env.set_limits()
        super().load(state)


class HarborEnv(BashEnv):
    """`intercode/Harbor-v1`. An action is what is typed into a shell in the task's environment.

    Tests are run over a copy of what the agent leaves, and what they write is the reward. Where that is no success, the
    task's own solution is tried once in a fresh session: if it fails as well (or, without a solution, no reward is
    written there either), the task cannot be judged here, and the episode is an error and no 0. Time, memory and disk
    are what the task says, unless *limits* or *episode_seconds* are given. *shell* as in the Bash world.
    """

    world_spec = SPEC
    branching = HarborBranching
    paper_shell: ClassVar[bool] = False
    needs_gold: ClassVar[bool] = False

    def __init__(
        self,
        dataset: str | Dataset,
        *,
        shell: Literal["fresh", "persistent"] = "fresh",
        **options: Unpack[EnvOptions],
    ) -> None:
        super().__init__(dataset, shell=shell, **options)
        self._given: tuple[Any, Any] = (self.limits, self.episode_seconds)

    @property
    def harbor_task(self) -> HarborTask:
        """The task folder of the episode."""
        return HarborTask.of(self.task)

    def set_limits(self) -> None:
        """Take those of the task, where none were given."""
        limits, seconds = self._given
        self.limits = limits or self.harbor_task.limits
        self.episode_seconds = seconds or self.harbor_task.agent_seconds

    def prepare(self) -> None:
        """A fresh session with the task's limits, and a shell where its environment begins.

        Raises:
            UserError: For a sandbox without snapshots, or whose `/tests` would be this machine's.
        """
        self.set_limits()
        super().prepare()
        session = self.current_session
        if session.root != "/" or type(session).snapshot is Session.snapshot:
            raise UserError(UNFIT.format(sandbox_name(self.sandbox)))

    def score(self) -> Scores:
        """Both scores of the state as it stands: the verifier's.

        Raises:
            SandboxError: For a task that cannot be judged here.
        """
        with self._copy(self.current_session) as copy:
            self.ending = ending = run_verifier(copy, self.harbor_task)
        found = score(ending)
        if self._is_final and not found.success:
            self._must_work()
        return {"paper": found, "exact": found}

    def keep_golds(self) -> int:
        """See `Env.keep_golds`: golds are run by every process anew.

        Raises:
            SandboxError: If one fails.
        """
        self._must_work()
        return 0

    # How

    @contextmanager
    def _copy(self, session: Session) -> Iterator[Session]:
        """A session that goes on from *session*, without a network, and with time and room for the verifier."""
        limits = session.limits.offline()
        limits = replace(limits, seconds=max(limits.seconds, self.harbor_task.verifier_seconds))
        try:
            with (
                session.snapshot() as files,
                self.sandbox.start(self.image, snapshot=files, started_at=self.started_at, limits=limits) as copy,
            ):
                yield copy
        except SnapshotError as error:  # what the agent has left is in the way
            raise SessionLostError(f"no copy can be made of what the agent has left: {error}") from error

    def _must_work(self) -> None:
        """Raises SandboxError where the verifier does not judge the task's own solution as it should; tried once."""
        key = (self.task.id, self.dataset.checksum, self.image.digest, self.limits)
        ending = GoldRunner.of(self.sandbox).once(key, self._try_gold)
        if ending.rewards is None:
            raise SandboxError(f"{self.task.id} cannot be judged on this machine: {'; '.join(ending.notes)}; {WAY_OUT}")
        if self.harbor_task.has_solution and not score(ending).success:
            why = f"its own solution does not pass ({'; '.join(ending.notes)})"
            raise SandboxError(f"{self.task.id} cannot be judged on this machine: {why}; {WAY_OUT}")

    def _try_gold(self) -> VerifierEnding:
        with gold_session(self) as session:
            if self.task.gold is not None:
                gold = self.task.gold.encode()
                session.run([BASH, "-c", 'eval "$(</dev/stdin)"'], cwd=session.image.workdir, stdin=gold)
            try:
                with self._copy(session) as copy:
                    return run_verifier(copy, self.harbor_task)
            except SessionLostError as error:  # the solution's doing, and not the agent's
                return VerifierEnding(None, (str(error),))
