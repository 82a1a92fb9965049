"""The Python world: code in an interpreter that stays, judged by hidden tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal, Unpack

from gymnasium.error import ResetNeeded

from intercode.datasets.base import Dataset
from intercode.envs.base import NO_WAY_BACK, Env, EnvOptions
from intercode.envs.core.observations import observe, with_notice
from intercode.envs.core.snapshots import SavedState
from intercode.envs.core.state_hash import state_hash
from intercode.envs.python.forks import Fork, Forks
from intercode.envs.python.interpreter import Interpreter, InterpreterReply
from intercode.envs.python.interpreter_pool import InterpreterPool
from intercode.envs.python.paper_judge import (
    HANGS,
    Execute,
    in_agents_interpreter,
    in_submission_process,
    published_run,
    submitted_name,
)
from intercode.envs.python.preimport import first_imports
from intercode.envs.python.test_judge import OUT_OF_TIME, Submission, TestJudge
from intercode.errors import SnapshotError
from intercode.rewards.python.hidden_tests import hidden_tests
from intercode.rewards.python.unit_tests import PublishedRun, exact, paper, paper_unknown
from intercode.types import Observation, Scores
from intercode.worlds.python import SPEC

Step = tuple[Literal["run", "failed", "judged"], str]
"""The text of an action, or of one that raised an error, or a name that the published judgement left its marks for."""

KEPT = "interrupted; its variables are kept"
TOLD = {
    "forged": "an answer was forged: the interpreter and all it had started were killed, its variables are gone; "
    "another is ready",
    "absent": "python3 does not start any more; its variables are gone",
}
GONE = "killed, and the interpreter with it: its variables are gone"
REPEAT = 1.0
"""Seconds that an action which ran out of time gets when it is run again for judging."""


@dataclass(frozen=True, slots=True)
class PythonState:
    """What `PythonEnv.save_state` keeps: what was run or judged in place, and what that came to.

    `copy` is a fork of the interpreter, which waits in its session; None where a fork would have been another than it.
    `script`, `last` and `submitted` are the environment's own, `state` is the state's name.
    """

    steps: tuple[Step, ...]
    script: tuple[tuple[str, float], ...]
    last: str
    submitted: str
    state: str
    copy: Fork | None = None

    def close(self) -> None:
        """End the copy."""
        if self.copy is not None:
            self.copy.close()


class PythonEnv(Env):
    """`intercode/Python-v1`. An action is Python code, as typed at a prompt: one expression or many definitions.

    Variables, functions and files live through the episode. What is printed is observed, the value of a last
    expression, and tracebacks. What is handed in is a function, `submit NAME` (without a name: the one that the task
    speaks of, or else the one defined last), or, where the task asks for a program, `submit` and its text (without:
    the last action). Under `paper` scoring actions run and are judged as in the published benchmark.

    Interpreters are kept ready in sessions of their own, and a reset takes one.
    """

    world_spec = SPEC

    interpreter: Interpreter | None = None
    """The interpreter of the episode that goes on."""

    submitted: str = ""
    """What was handed in: the name of a function, or a program."""

    def __init__(self, dataset: str | Dataset = "starter-python", **options: Unpack[EnvOptions]) -> None:
        super().__init__(dataset, **options)
        self._script: list[tuple[str, float]] = []
        self._steps: list[Step] = []
        self._last = self._state = ""
        self._copies: Forks | None = None

    # The hooks of `Env`

    def prepare(self) -> None:
        """A session in which a Python is ready."""
        self._prepare(())

    def _prepare(self, modules: tuple[str, ...]) -> None:
        """The same; the Python may have imported *modules*."""
        take = InterpreterPool.of(self.sandbox).take
        self.interpreter = take(self.sandbox, self.image, self.limits, started_at=self.started_at, modules=modules)
        self.session, self._copies = self.interpreter.session, Forks(self.interpreter)
        self._steps, self._script, self._last, self._state, self.submitted = [], [], "", "", ""
        self._begin()

    def execute(self, text: str) -> Observation:
        """Run *text*."""
        self._last = text
        self._steps.append(("failed", text))
        seconds = self.current_session.limits.seconds
        if self.scoring == "paper":
            reply = self._python.order("publish", text, seconds=seconds)
        else:
            reply = self._python.order("run", text, len(self._steps), seconds=seconds)
        if _has_worked(reply):
            self._steps[-1] = ("run", text)
        self._script.append((text, REPEAT if reply.fate else 2 * reply.result.seconds + REPEAT))
        self._state = reply.end[:16]
        if reply.is_lost:
            self._begin()
        return self._observation(reply)

    def on_submit(self, answer: str) -> Observation:
        """Keep what is handed in, for the judgement."""
        self.submitted = answer
        return super().on_submit(answer)

    def score(self) -> Scores:
        """Both scores, of what was handed in or, before that, of what `submit` alone would hand in."""
        tests, submission = hidden_tests(self.task), self._submission()
        court = TestJudge(self.sandbox, self.image, self.limits and self.limits.offline())
        with court.stand(submission, tests.before) as stand:
            acted = bool(submission.script or submission.program)
            results = court.judge(tests, stand) if acted else ()
            exactly = exact(results)
            if "tests" not in self.task.extra:
                return {"paper": paper_unknown(exactly), "exact": exactly}
            if self.scoring == "paper":
                return {"paper": paper(self.published()), "exact": exactly}
            late = any(result.why == OUT_OF_TIME for result in results)
            run = PublishedRun(problem=HANGS) if late else self._published(in_submission_process(stand))
            return {"paper": paper(run), "exact": exactly}

    def published(self) -> PublishedRun:
        """Judge by the published benchmark's steps, in the agent's own interpreter, whose variables are gone then."""
        self._steps.append(("judged", self.submitted))
        return self._published(in_agents_interpreter(self._python))

    def state_hash(self) -> str:
        """The state of the file system, and of the variables."""
        return state_hash(self.current_session.changes(), self._state)

    def save_state(self) -> PythonState:
        """A fork of the interpreter; what was run, to be run again where that is of no use; what it must come to."""
        assert self._copies is not None
        return replace(self.save_state_for_fork(), copy=self._copies.keep())

    def save_state_for_fork(self) -> PythonState:
        """The same without the fork, which cannot leave its session."""
        return PythonState(tuple(self._steps), tuple(self._script), self._last, self.submitted, self.state_hash())

    def release_for_restore(self, world: SavedState) -> None:
        """See `Env.release_for_restore`: a session in which a copy waits is still wanted."""
        assert isinstance(world, PythonState)
        if world.copy is None or world.copy.copies is not self._copies:
            self.end_episode()

    def restore_state(self, world: SavedState) -> None:
        """See `Env.restore_state`. By the copy, if it waits in the session that goes on and no file is otherwise than
        it was.

        Else, as in every fork, by running the actions again in a fresh session. Raises SnapshotError where they come to
        another state: they use chance or time.
        """
        assert isinstance(world, PythonState)
        if self.interpreter is None or not self._go_back(world):
            self.end_episode()
            self._run_again(world)
        self.submitted = world.submitted

    def _go_back(self, world: PythonState) -> bool:
        """Whether the copy works now, and all is as it was."""
        assert world.copy is not None
        assert self._copies is not None
        state = self._copies.go_back(world.copy)
        if state is None or state_hash(self.current_session.changes(), state) != world.state:
            return False
        self._steps, self._script = list(world.steps), list(world.script)
        self._last, self._state = world.last, state
        return True

    def _run_again(self, world: PythonState) -> None:
        without_error = takewhile(lambda step: step[0] == "run", world.steps)
        self._prepare(first_imports(text for _, text in without_error))
        for kind, text in world.steps:
            if kind == "judged":
                self.submitted = text
                self.published()
            else:
                self.execute(text)
        if self.state_hash() != world.state:
            raise SnapshotError(f"{NO_WAY_BACK}: its actions depend on time or chance")

    def detach(self) -> None:
        """See `Env.detach`."""
        super().detach()
        self.interpreter = self._copies = None

    def stop_processes(self) -> None:
        """The interpreter is still wanted, and what it may leave running has no part in the judgement."""

    def end_episode(self) -> None:
        """End the interpreter, then the session."""
        if self.interpreter is not None:
            self.interpreter.close()
            self.interpreter = self._copies = None
        super().end_episode()

    # How

    @property
    def _python(self) -> Interpreter:
        if self.interpreter is None:
            raise ResetNeeded("no episode goes on: call reset() first")
        return self.interpreter

    def _begin(self) -> None:
        """The interpreter knows nothing: the first of an episode, or another after one that died."""
        if self.scoring == "paper":
            for order in ("start_published", "hush"):
                self._python.order(order, seconds=self.current_session.limits.seconds)

    def _published(self, execute: Execute) -> PublishedRun:
        return published_run(self.task, submitted_name(self.submitted, self._last), execute)

    def _submission(self) -> Submission:
        script, given = tuple(self._script), self.submitted
        if hidden_tests(self.task).wants_program:
            return Submission(program=given or self._last)
        if given and not given.replace(".", "_").isidentifier():
            return Submission(((given, self.current_session.limits.seconds),))
        return Submission(script, given)

    def _observation(self, reply: InterpreterReply) -> Observation:
        seconds = self.current_session.limits.seconds
        seen = observe(reply.result, seconds=seconds, fate=KEPT if reply.fate == "interrupted" else GONE)
        if reply.fate == "died":
            ended = f"the interpreter has ended with status {reply.result.exit_code}: its variables are gone"
            return replace(seen, text=with_notice(seen.text, f"{ended}; another is ready"))
        if reply.fate in TOLD:
            return replace(seen, text=with_notice(seen.text, TOLD[reply.fate]), exit_code=reply.result.exit_code or 1)
        _, how, status = [*reply.end.split(" ", 2), "", ""][:3]
        if how == "exit":
            text = with_notice(seen.text, f"exit {status}: the interpreter goes on, with its variables")
            return replace(seen, text=text, exit_code=int(status) if status.isdecimal() and len(status) < 4 else 1)
        return replace(seen, exit_code=1) if how in ("error", "interrupted") and not reply.fate else seen


def _has_worked(reply: InterpreterReply) -> bool:
    """Whether an action raised nothing. One that lies about it compiles, and got beyond the imports it began with."""
    raised = reply.text.startswith(("{'error'", "Error executing action"))  # as the published benchmark says it
    return not reply.fate and reply.end.endswith(" done") and not raised
