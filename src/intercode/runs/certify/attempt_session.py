"""A session in which submissions are judged one after the other, as long as none of them leaves anything in it.

Starting a session and a Python in it takes most of the time of judging a short submission. So a copy of the Python that
has run nothing waits (`Forks`), and is gone back to where a submission has changed no file and left no process, and
no memory for others. Else the next one gets a new session.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from intercode.closing import Closeable
from intercode.envs.python.forks import Fork, Forks
from intercode.envs.python.interpreter import Interpreter
from intercode.envs.python.interpreter_pool import InterpreterPool
from intercode.envs.python.test_judge import Submission, SubmissionProcess, TestJudge


class AttemptSession(Closeable):
    """Runs submissions as `TestJudge.run_submission` does, for one task. Not safe to use from several threads.

    Attributes:
        sessions: How many sessions of the sandbox were begun.
    """

    def __init__(self) -> None:
        self._interpreter: Interpreter | None = None
        self._start: Fork | None = None
        self.sessions = 0

    @contextmanager
    def run_submission(self, judge: TestJudge, submission: Submission, before: str = "") -> Iterator[SubmissionProcess]:
        """A clean session in which the submission's actions have been run. One at a time, and *judge* always alike."""
        interpreter = self._interpreter or self._begin(judge)
        process = SubmissionProcess(interpreter, submission, before, judge.seconds)
        try:
            process.load()
            yield process
        except BaseException:
            self.close()
            raise
        if process.is_stuck or not self._go_back(interpreter):
            self.close()

    def _begin(self, judge: TestJudge) -> Interpreter:
        self._interpreter = InterpreterPool.of(judge.sandbox).take(judge.sandbox, judge.image, judge.limits)
        self._start = Forks(self._interpreter).keep()
        self.sessions += 1
        return self._interpreter

    def _go_back(self, interpreter: Interpreter) -> bool:
        """Whether all is as it was when the session began."""
        start = self._start
        return start is not None and start.copies.go_back(start) is not None and not interpreter.session.changes()

    def close(self) -> None:
        """End the session."""
        if self._interpreter is not None:
            self._interpreter.session.close()
            self._interpreter = self._start = None
