"""The Python world: code in an interpreter that stays, judged by hidden tests."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import takewhile
from typing import Unpack

from gymnasium.error import ResetNeeded

from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.env.observations import observe, with_notice
from intercode.env.options import EnvOptions
from intercode.env.saved_state import NO_WAY_BACK, SavedState
from intercode.env.state_hash import state_hash
from intercode.errors import SnapshotError
from intercode.rewards.base import EndingReward
from intercode.types import Observation, Task
from intercode.worlds.python.forks import Forks
from intercode.worlds.python.hidden_tests import has_tests, hidden_tests
from intercode.worlds.python.interpreter import Interpreter, InterpreterReply
from intercode.worlds.python.interpreter_pool import InterpreterPool
from intercode.worlds.python.paper_judge import (
    HANGS,
    Execute,
    in_agents_interpreter,
    in_submission_process,
    published_run,
    submitted_name,
)
from intercode.worlds.python.preimport import first_imports
from intercode.worlds.python.saved_state import PythonState, Step
from intercode.worlds.python.spec import SPEC
from intercode.worlds.python.test_judge import OUT_OF_TIME, Submission, SubmissionProcess, TestJudge
from intercode.worlds.python.unit_tests import PublishedRun, PythonEnding, TestResult, by_published_run, by_tests

INTERRUPTED = "interrupted; its variables are kept"
NOTICES = {
    "forged": "an answer was forged: the interpreter and all it had started were killed, its variables are gone; "
    "another is ready",
    "absent": "python3 does not start any more; its variables are gone",
}
KILLED = "killed, and the interpreter with it: its variables are gone"
REPEAT = 1.0
"""Seconds that an action which ran out of time gets when it is run again for judging."""


class PythonEnv(Env):
    """`intercode/Python-v1`. An action is Python code, as typed at a prompt: one expression or many definitions.

    Variables, functions and files live through the episode. What is printed is observed, the value of a last
    expression, and tracebacks. What is handed in is a function, `submit NAME` (without a name: the one that the task
    speaks of, or else the one defined last), or, where the task asks for a program, `submit` and its text (without:
    the last action). Under `paper` scoring actions run and are judged as in the published benchmark.

    Interpreters are kept ready in sessions of their own, and a reset takes one.

    Args:
        dataset: A name, a path, or a `Dataset`.
        **options: See `EnvOptions`.

    Raises:
        UserError: If an option is impossible.
    """

    world_spec = SPEC
    rewards = {"paper": EndingReward(by_published_run), "exact": EndingReward(by_tests)}
    restores_in_place = True

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

    def submission(self, given: str) -> Submission:
        """Return what is handed in by `submit` with the text *given*, after the actions of this episode."""
        if has_tests(self.task) and hidden_tests(self.task).wants_program:
            return Submission(program=given or self._last)
        return Submission.of_function(self._script, given, self.current_session.limits.seconds)

    # The hooks of `Env`

    def prepare(self) -> None:
        """A session in which a Python is ready."""
        self.begin_session(())

    def begin_session(self, modules: tuple[str, ...]) -> None:
        """Begin a session in which a Python is ready, which may have imported *modules*."""
        take = InterpreterPool.of(self.sandbox).take
        self.interpreter = take(self.sandbox, self.image, self.limits, started_at=self.started_at, modules=modules)
        self.session, self._copies = self.interpreter.session, Forks(self.interpreter)
        self._steps, self._script, self._last, self._state, self.submitted = [], [], "", "", ""
        self._begin()

    def execute(self, text: str) -> Observation:
        """Run *text*."""
        self._last = text
        self._steps.append(("failed", text))
        seconds = self.action_seconds
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
        """Keep what is handed in, to judge it."""
        self.submitted = answer
        return super().on_submit(answer)

    def ending(self, task: Task) -> PythonEnding | None:
        """Return how tests end of what was handed in or, before that, of what `submit` alone would hand in.

        Returns:
            None for a task without tests, if a reward judges it.

        Raises:
            BadDataError: If the task has no tests and no reward judges it.
        """
        if self.chosen_reward is not None and not has_tests(task):
            return None
        tests, submission = hidden_tests(task), self.submission(self.submitted)
        test_judge = TestJudge(self.sandbox, self.image, self.current_session.limits.for_judging(self.judging_network))
        with test_judge.run_submission(submission, tests.before) as process:
            acted = bool(submission.script or submission.program)
            results = test_judge.judge(tests, process) if acted else ()
            run = self._published_run(results, process) if "tests" in task.extra else None
        return PythonEnding(results, run)

    def _published_run(self, results: Sequence[TestResult], process: SubmissionProcess) -> PublishedRun:
        """The published steps: in the agent's own interpreter where they count, else where they leave no marks."""
        if self.scoring == "paper":
            return self.published()
        if any(result.why == OUT_OF_TIME for result in results):
            return PublishedRun(problem=HANGS)
        return self._published(in_submission_process(process))

    def published(self) -> PublishedRun:
        """Judge by the published benchmark's steps, in the agent's own interpreter. They destroy its variables."""
        self._steps.append(("judged", self.submitted))
        return self._published(in_agents_interpreter(self._python))

    def state_hash(self) -> str:
        """Return the state of the file system, and of the variables."""
        return self.hash_of(self.current_session.changes(), self._state)

    def stop_processes(self) -> None:
        """Do nothing: the interpreter is still needed, and what it leaves running has no part in the judgement."""

    def freeze(self) -> AbstractContextManager[None]:
        """See `World.freeze`. Under `paper` scoring the agent's own interpreter runs the tests, as published."""
        return nullcontext() if self.scoring == "paper" else self.current_session.frozen()

    def end_episode(self) -> None:
        """End the interpreter, then the session."""
        if self.interpreter is not None:
            self.interpreter.close()
            self.interpreter = self._copies = None
        super().end_episode()

    # Branches: by a copy of the interpreter, or by its actions, run again

    def save_state(self) -> PythonState:
        """Return a fork of the interpreter.

        What was run, to be run again where that is of no use; what it must come to.
        """
        assert self._copies is not None
        return replace(self.save_state_for_fork(), copy=self._copies.keep())

    def save_state_for_fork(self) -> PythonState:
        """Return the same without the fork, which cannot leave its session."""
        return PythonState(tuple(self._steps), tuple(self._script), self._last, self.submitted, self.state_hash())

    def end_before_restore(self, state: SavedState) -> None:
        """See `Env.end_before_restore`: a session in which a copy waits is still wanted."""
        assert isinstance(state, PythonState)
        if state.copy is None or state.copy.copies is not self._copies:
            self.end_episode()

    def load_state(self, state: SavedState) -> None:
        """See `Env.load_state`. Go on with the copy, if it waits in this session and no file has changed since.

        Else, as in every fork, run the actions again in a fresh session.

        Raises:
            SnapshotError: If they come to another state, as they do where they use chance or time.
        """
        assert isinstance(state, PythonState)
        if self.interpreter is None or not self._go_back(state):
            self.end_episode()
            self._run_again(state)
        self.submitted = state.submitted

    def detach(self) -> None:
        super().detach()
        self.interpreter = self._copies = None

    def _go_back(self, saved: PythonState) -> bool:
        """Return whether the copy works now, and all is as it was."""
        assert saved.copy is not None
        assert self._copies is not None
        state = self._copies.go_back(saved.copy)
        if state is not None and not saved.steps:
            state = ""  # as it is called before the first action
        if state is None or state_hash(self.current_session.changes(), state) != saved.state:
            return False
        self._steps, self._script = list(saved.steps), list(saved.script)
        self._last, self._state = saved.last, state
        return True

    def _run_again(self, saved: PythonState) -> None:
        without_error = takewhile(lambda step: step[0] == "run", saved.steps)
        self.begin_session(first_imports(text for _, text in without_error))
        for kind, text in saved.steps:
            if kind == "judged":
                self.submitted = text
                self.published()
            else:
                self.execute(text)
        if self.state_hash() != saved.state:
            raise SnapshotError(f"{NO_WAY_BACK}: its actions depend on time or chance")

    # How

    @property
    def _python(self) -> Interpreter:
        if self.interpreter is None:
            raise ResetNeeded("no episode goes on: call reset() first")
        return self.interpreter

    def _begin(self) -> None:
        """The interpreter knows nothing: the first of an episode, or another after one that died."""
        if self.scoring == "paper":
            for order in ("start_published", "silence_output"):
                self._python.order(order, seconds=self.current_session.limits.seconds)

    def _published(self, execute: Execute) -> PublishedRun:
        return published_run(self.task, submitted_name(self.submitted, self._last), execute)

    def _observation(self, reply: InterpreterReply) -> Observation:
        seconds = self.action_seconds
        seen = observe(reply.result, seconds=seconds, fate=INTERRUPTED if reply.fate == "interrupted" else KILLED)
        if reply.fate == "died":
            ended = f"the interpreter has ended with status {reply.result.exit_code}: its variables are gone"
            return replace(seen, text=with_notice(seen.text, f"{ended}; another is ready"))
        if reply.fate in NOTICES:
            return replace(
                seen, text=with_notice(seen.text, NOTICES[reply.fate]), exit_code=reply.result.exit_code or 1
            )
        _, how, status = [*reply.end.split(" ", 2), "", ""][:3]
        if how == "exit":
            text = with_notice(seen.text, f"exit {status}: the interpreter goes on, with its variables")
            return replace(seen, text=text, exit_code=int(status) if status.isdecimal() and len(status) < 4 else 1)
        return replace(seen, exit_code=1) if how in ("error", "interrupted") and not reply.fate else seen


def _has_worked(reply: InterpreterReply) -> bool:
    """Return whether an action raised nothing.

    One that lies about it compiles, and got beyond the imports it began with.
    """
    raised = reply.text.startswith(("{'error'", "Error executing action"))  # as the published benchmark says it
    return not reply.fate and reply.end.endswith(" done") and not raised
