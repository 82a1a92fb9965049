"""The Harbor world: a shell in a task's own environment, judged by the script that the task brings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Unpack

from intercode.datasets.base import Dataset
from intercode.env.gold_runner import GoldRunner, gold_session
from intercode.env.judging_copy import Solution
from intercode.env.options import EnvOptions
from intercode.env.saved_state import SavedState
from intercode.errors import SandboxError, SessionLostError, UserError
from intercode.rewards.base import EndingReward
from intercode.types import Task
from intercode.worlds.bash import BashEnv
from intercode.worlds.bash.shell import BASH
from intercode.worlds.harbor.reward_file import VerifierEnding, last_lines, score
from intercode.worlds.harbor.services import ports_of_solution
from intercode.worlds.harbor.spec import SPEC
from intercode.worlds.harbor.task_settings import HarborTask
from intercode.worlds.harbor.verifier import OUT_OF_TIME, RESERVED, judge
from intercode_sandbox.sandbox import Session
from intercode_sandbox.util.naming import sandbox_name

UNFIT = "{} cannot play a task of Harbor's: it is judged in a copy, with paths of its own; --sandbox embedded or docker"
WAY_OUT = (
    "its tests may need a network or programs that are not in the image, or paths of the system that it must name in "
    "`keep`; see docs/how-to/harbor.md"
)
SLOW = (
    "{task} cannot be judged now: {what} did not end in its time; that may be this machine's doing, and is tried again"
)
NO_SOLUTION = "the task has no solution: nobody has seen its verifier pay right work, and refuse what is none"


LIST_PROCESSES = """for process in /proc/[0-9]*; do
    [ "$process" = /proc/1 ] || [ "$process" = "/proc/$$" ] || { read -r name < "$process/comm" && echo "$name"; }
done 2>/dev/null"""


@dataclass(frozen=True, slots=True)
class _Gold:
    """What the verifier says of the task's solution, and what that changes; without a solution, of nothing done.

    `running` are the names of programs that the solution leaves running, which no copy to judge in has, and `ports`
    where they answer, if the verifier needs them. `unreached` are hosts that it asked for in vain, and that the
    verifier did. `failure` says how it ended, if not with status 0.
    """

    ending: VerifierEnding
    solution: Solution | None
    running: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    unreached: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    failure: str = ""

    @property
    def reason(self) -> str:
        """Return what is known of why the solution does not succeed."""
        facts = [f"it leaves {', '.join(self.running)} running, and is judged in a copy without them"]
        facts = [*([self.failure] if self.failure else []), *(facts if self.running else [])]
        for who, hosts in zip(("it", "its verifier"), self.unreached, strict=True):
            facts += [f"{who} asked for {', '.join(hosts)} and did not get there"] if hosts else []
        return f"{': ' * bool(facts)}{'; '.join(facts)} ({self.ending.summary})"


class HarborEnv(BashEnv):
    """`intercode/Harbor-v1`. An action is what is typed into a shell in the task's environment.

    Tests are run over a copy of what the agent leaves, with the image's own system, and what they write is the reward.
    The task's own solution is tried once, in a fresh session: if that does not succeed (or, without a solution, no
    reward is written there), the task cannot be judged here, and the episode is an error and neither a 0 nor a 1. Time,
    memory and disk are what the task says, unless *limits* or *episode_seconds* are given. *shell* as in the Bash
    world.
    """

    world_spec = SPEC
    rewards = {"paper": EndingReward(score), "exact": EndingReward(score)}
    paper_shell: ClassVar[bool] = False
    needs_gold: ClassVar[bool] = False
    judges_files_alone: ClassVar[bool] = True

    def __init__(
        self,
        dataset: str | Dataset,
        *,
        shell: Literal["fresh", "persistent"] = "fresh",
        **options: Unpack[EnvOptions],
    ) -> None:
        super().__init__(dataset, shell=shell, **options)
        self._given: tuple[Any, Any] = (options.get("limits"), self.clock.episode_seconds)

    @property
    def harbor_task(self) -> HarborTask:
        """The task folder of the episode."""
        return HarborTask.of(self.task)

    def set_limits(self) -> None:
        """Take those of the task, where none were given."""
        limits, seconds = self._given
        self.limits = self.with_network(limits or self.harbor_task.limits)
        self.clock.episode_seconds = seconds or self.harbor_task.agent_seconds

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

    def ending(self, task: Task) -> VerifierEnding:
        """Return what the verifier says of the state as it stands.

        Raises:
            SandboxError: For a task that cannot be judged here.
        """
        with self.current_session.frozen():
            gold = self._must_work()
        copies = self.judging_copies(reserved=RESERVED, solution=gold.solution)
        ending = judge(copies, self.current_session, self.harbor_task, self.clock.patience, gold.ports)
        if gold.solution is None:
            return replace(ending, notes=(*ending.notes, NO_SOLUTION))
        return ending

    def stop_processes(self) -> None:
        """See `Env.stop_processes`: not where the task's own solution leaves services that its verifier needs.

        Raises:
            SandboxError: For a task that cannot be judged here.
        """
        with self.current_session.frozen():  # a first trial of the solution may take minutes: nobody works on meanwhile
            if not self._must_work().ports:
                super().stop_processes()

    def keep_golds(self) -> int:
        """See `Env.keep_golds`: golds are run by every process anew.

        Raises:
            SandboxError: If one fails.
        """
        self._must_work()
        return 0

    def fault(self) -> str:
        """See `Env.fault`: a verifier that pays for nothing.

        Raises:
            SandboxError: For a task that cannot be judged here.
        """
        found = score(self.ending(self.task))
        return f"doing nothing earns {found.value:g}" if found.success else ""

    def load_state(self, state: SavedState) -> None:
        """See `Env.load_state`. A state may be of another task than the last one here."""
        self.set_limits()
        super().load_state(state)

    # How

    def _must_work(self) -> _Gold:
        """Return what the task's own solution does, tried once.

        Raises:
            SandboxError: If the verifier does not judge that as it should: then it says nothing of an agent either.
        """
        kept, network = self.dataset.kept_paths(self.task), self.judging_network
        key = (self.task.id, self.dataset.checksum, self.image.digest, self.limits, kept, network)
        gold = GoldRunner.of(self.sandbox).once(key, self._try_gold)
        if gold.ending.rewards is None:
            raise SandboxError(f"{self.task.id} cannot be judged on this machine: {gold.ending.summary}; {WAY_OUT}")
        if gold.solution is not None and not score(gold.ending).success:
            why = f"its own solution does not pass{gold.reason}"
            raise SandboxError(f"{self.task.id} cannot be judged on this machine: {why}; {WAY_OUT}")
        return gold

    def _try_gold(self) -> _Gold:
        in_vain = list[str]()

        def note(copy: Session) -> None:
            in_vain.extend(_unreached(copy))

        with gold_session(self) as session:
            solution: Solution | None = None
            running: tuple[str, ...] = ()
            ports: tuple[int, ...] = ()
            failure = ""
            if self.task.gold is not None:
                gold = self.task.gold.encode()
                done = session.run([BASH, "-c", 'eval "$(</dev/stdin)"'], cwd=session.image.workdir, stdin=gold)
                if done.timed_out:
                    raise SandboxError(SLOW.format(task=self.task.id, what="its own solution"))
                failure = f"it ended with status {done.exit_code}{last_lines(done.text)}" if done.exit_code else ""
                running = _running(session)
                ports = ports_of_solution(session) if running else ()
                with session.frozen():
                    solution = Solution.of(session.changes(), session.read)
            copies = self.judging_copies(reserved=RESERVED, solution=solution)
            copies = replace(copies, note_network=note)  # no part of the episode
            try:
                ending = judge(copies, session, self.harbor_task, ports=ports)
                if ports and not score(ending).success:  # such as one that starts the service itself
                    ending, ports = judge(copies, session, self.harbor_task), ()
            except SessionLostError as error:  # the solution's doing, and not the agent's
                ending = VerifierEnding(None, (str(error),))
            unreached = (_unreached(session), tuple(in_vain))
        if OUT_OF_TIME in ending.notes and (solution is not None or ending.rewards is None):
            raise SandboxError(SLOW.format(task=self.task.id, what="its verifier"))
        return _Gold(ending, solution, running, ports, unreached, failure)


def _unreached(session: Session) -> tuple[str, ...]:
    used = session.network_usage()
    return used.unreached if used else ()


def _running(session: Session) -> tuple[str, ...]:
    """Return the names of the programs that run in *session*, in which no agent ever was, each once."""
    listed = session.run(["/bin/sh", "-c", LIST_PROCESSES]).text.split("\n")
    return tuple(sorted(set(filter(None, listed))))
