"""The world of capture the flag: a shell in a task's folder, and a flag to find and hand in."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Unpack

from intercode.datasets.base import Dataset
from intercode.datasets.challenges import Challenge
from intercode.envs.bash import BashEnv
from intercode.envs.bash.paper_shell import PaperShell
from intercode.envs.bash.shell import BASH, Shell
from intercode.envs.core.options import EnvOptions
from intercode.envs.ctf.branching import CtfBranching
from intercode.envs.ctf.service import RunningService
from intercode.errors import SandboxError, UserError
from intercode.rewards.bash.paper_quoting import ctf_command
from intercode.rewards.ctf.flag import FlagEnding, exact, paper
from intercode.sandboxes.base import Session, Snapshot
from intercode.types import Action, Observation, Scores, Status
from intercode.worlds.ctf import SPEC

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
    branching = CtfBranching

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
        self.task = replace(self.task, gold=self._scoring_flag)
        super().prepare()
        write_challenge_files(self.current_session, self._challenge)
        self.start_service()
        self._set_up()

    def make_shell(self) -> Shell:
        """A shell that starts in the task's folder."""
        if self.scoring == "paper":
            shell: Shell = PaperShell(
                self.current_session, seconds=self.current_session.limits.seconds, quote=ctf_command
            )
        else:
            shell = super().make_shell()
        shell.cwd = self._challenge.folder
        return shell

    def on_submit(self, answer: str) -> Observation:
        """The flag *answer* is handed in; what is seen says whether it is right, and how many more may follow."""
        self.submissions.append(answer)
        if self._challenge.flag is None:
            return Observation(UNKNOWN)
        if self._is_right():
            return Observation(RIGHT)
        left = self.attempts - len(self.submissions)
        return Observation(f"{WRONG} Keep trying: {left} more may be submitted." if left > 0 else WRONG)

    def status_after(self, action: Action) -> Status | None:
        """A wrong flag ends the episode when there is no attempt left."""
        is_wrong = action.kind == "submit" and self.task.gold is not None and not self._is_right()
        if is_wrong and len(self.submissions) < self.attempts:
            return None
        return super().status_after(action)

    def score(self) -> Scores | None:
        """Both scores of the last flag that was handed in."""
        challenge = self._challenge
        if challenge.flag is None:
            return None
        published = challenge.flag if challenge.published is None else challenge.published
        self.ending = ending = FlagEnding(self.submissions[-1] if self.submissions else None, challenge.flag, published)
        return {"paper": paper(ending), "exact": exact(ending)}

    def start_service(self, snapshot: Snapshot | None = None) -> None:
        """Start the service of the challenge, if it has one: anew, or with the files of *snapshot*."""
        service = self._challenge.service
        if service is not None:
            self._service = RunningService(
                service, self.current_session, self.sandbox, self._base, limits=self.limits, snapshot=snapshot
            )

    def end_episode(self) -> None:
        """End the service, then the rest."""
        if self._service is not None:
            self._service.close()
            self._service = None
        super().end_episode()

    # How

    @property
    def _scoring_flag(self) -> str | None:
        """The flag that scores, if any does."""
        published = self._challenge.published
        return published if self.scoring == "paper" and published is not None else self._challenge.flag

    def _is_right(self) -> bool:
        scores = self.score()
        return scores is not None and scores[self.scoring].success

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
