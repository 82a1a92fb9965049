"""The world of capture the flag: a shell in a task's folder, and a flag to find and hand in."""

from __future__ import annotations

from typing import Literal, Unpack

from intercode.datasets.base import Dataset
from intercode.datasets.challenges import Challenge
from intercode.env.options import EnvOptions
from intercode.env.saved_state import NO_WAY_BACK, SavedState
from intercode.errors import SandboxError, SnapshotError, UserError
from intercode.rewards.base import EndingReward, EpisodeResult
from intercode.types import Action, Observation, Status, Task
from intercode.worlds.bash import BashEnv
from intercode.worlds.bash.paper_shell import PaperShell
from intercode.worlds.bash.scoring.paper_quoting import ctf_command
from intercode.worlds.bash.shell import BASH, Shell
from intercode.worlds.ctf.flag import FlagEnding, exact, paper
from intercode.worlds.ctf.saved_state import CtfState
from intercode.worlds.ctf.service import RunningService
from intercode.worlds.ctf.spec import SPEC
from intercode_sandbox.sandbox import Session, Snapshot

RIGHT = "The submitted flag is correct."
WRONG = "The submitted flag is incorrect."
UNKNOWN = "The submitted flag is not judged: this task can only be played."

SETUP_SECONDS = 60.0
"""What a task's set-up command may take."""


class CtfEnv(BashEnv):
    """`intercode/CTF-v1`. An action is a command; `submit FLAG` hands a flag in.

    *attempts* flags may be handed in: a wrong one ends the episode only when none is left. Each is judged and stored.
    The flag of an episode may come from its seed; `task.gold` is then there once the episode has begun. What a task
    stands on (files, a service in a sandbox of its own, a set-up command) is made ready before the agent comes.

    *shell* and the rest as in the Bash world; under `paper` scoring commands are quoted as in the published CTF world.
    """

    world_spec = SPEC
    rewards = {"paper": EndingReward(paper), "exact": EndingReward(exact)}

    def __init__(
        self,
        dataset: str | Dataset = "starter-ctf",
        *,
        attempts: int = 1,
        shell: Literal["fresh", "persistent"] = "fresh",
        **options: Unpack[EnvOptions],
    ) -> None:
        super().__init__(dataset, shell=shell, **options)
        if attempts < 1:
            raise UserError(f"attempts={attempts}: it must be at least 1")
        self.attempts = attempts
        self.submissions: list[str] = []
        self._service: RunningService | None = None

    def prepare(self) -> None:
        """A fresh session with the task's files, its service, its set-up, and then a shell in the task's folder."""
        self.submissions = []
        self._challenge = self.dataset.challenge(self.task, int(self.np_random.integers(1 << 62)))
        self.set_gold(self._scoring_flag)
        super().prepare()
        write_challenge_files(self.current_session, self._challenge)
        self.start_service()
        self._set_up()

    def make_shell(self) -> Shell:
        """Return a shell that starts in the task's folder."""
        if self.scoring == "paper":
            shell: Shell = PaperShell(
                self.current_session, seconds=self.current_session.limits.seconds, quote=ctf_command
            )
        else:
            shell = super().make_shell()
        shell.cwd = self._challenge.folder
        return shell

    def on_submit(self, answer: str) -> Observation:
        """Hand in the flag *answer*; what is returned says whether it is right, and how many more may follow."""
        self.submissions.append(answer)
        if self._challenge.flag is None:
            return Observation(UNKNOWN)
        if self._is_right():
            return Observation(RIGHT)
        left = self.attempts - len(self.submissions)
        return Observation(f"{WRONG} Keep trying: {left} more may be submitted." if left > 0 else WRONG)

    def status_after(self, action: Action) -> Status | None:
        """Return a wrong flag ends the episode when there is no attempt left."""
        is_wrong = action.kind == "submit" and self.task.gold is not None and not self._is_right()
        if is_wrong and len(self.submissions) < self.attempts:
            return None
        return super().status_after(action)

    def ending(self, task: Task) -> FlagEnding | None:
        """Return the last flag that was handed in, beside the right one."""
        challenge = self._challenge
        if challenge.flag is None:
            return None
        published = challenge.flag if challenge.published is None else challenge.published
        return FlagEnding(self.submissions[-1] if self.submissions else None, challenge.flag, published)

    def start_service(self, snapshot: Snapshot | None = None) -> None:
        """Start the service of the challenge, if it has one: anew, or with the files of *snapshot*."""
        service = self._challenge.service
        if service is not None:
            self._service = RunningService(
                service, self.current_session, self.sandbox, self.base_image, limits=self.limits, snapshot=snapshot
            )

    def end_episode(self) -> None:
        """End the service, then the rest."""
        if self._service is not None:
            self._service.close()
            self._service = None
        super().end_episode()

    def save_state(self) -> SavedState:
        """As in the Bash world, and the files of the service.

        Raises:
            UserError: If that is a `server` (see there).
        """
        service = None if self._service is None else self._service.snapshot()
        try:
            shell = super().save_state()
        except BaseException:
            if service is not None:
                service.close()
            raise
        return CtfState(shell, self._challenge, tuple(self.submissions), service)

    def load_state(self, state: SavedState) -> None:
        """See `Env.load_state`. The service runs again, with the files that it had."""
        assert isinstance(state, CtfState)
        self._challenge, self.submissions = state.challenge, list(state.submissions)
        super().load_state(state.shell)
        try:
            self.start_service(state.service)
        except SandboxError as error:  # it did begin: what it needs is gone since
            raise SnapshotError(f"{NO_WAY_BACK}: {error}") from error

    def detach(self) -> None:
        super().detach()
        self._service = None

    # How

    @property
    def _scoring_flag(self) -> str | None:
        """The flag that scores, if any does."""
        published = self._challenge.published
        return published if self.scoring == "paper" and published is not None else self._challenge.flag

    def _is_right(self) -> bool:
        ending = self.ending(self.task)
        result = EpisodeResult(self.task, ending=ending)
        return ending is not None and self.rewards[self.scoring].score(result).success

    def _set_up(self) -> None:
        command, folder = self._challenge.setup, self._challenge.folder
        if not command:
            return
        result = self.current_session.run([BASH, "-c", command], cwd=folder, timeout=SETUP_SECONDS)
        if result.exit_code != 0 or result.timed_out:
            said = result.text.strip().rpartition("\n")[2]
            raise SandboxError(f"the set-up command of {self.task.id} failed with {result.exit_code}: {said}")


def write_challenge_files(session: Session, challenge: Challenge) -> None:
    """Put the challenge's files into its folder in *session*."""
    if not challenge.files:
        session.run(["mkdir", "-p", challenge.folder])
    for path, content in challenge.files.items():
        mode = 0o755 if path in challenge.programs else 0o644
        session.write(f"{challenge.folder}/{path}", content, mode=mode)
