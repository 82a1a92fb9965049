"""Where submissions are judged: in a session of their own, with the values checked in another.

The agent's actions are run again in a clean session, and each hidden test asks for values there, in a fresh fork. The
values come out as text and are checked in a session in which nothing of the agent's ever ran.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from intercode.errors import MachineError, SessionLostError
from intercode.worlds.python.hidden_tests import FUNCTIONS, HiddenTest, HiddenTests, prints_the_same
from intercode.worlds.python.interpreter import Interpreter, InterpreterReply
from intercode.worlds.python.interpreter_pool import InterpreterPool
from intercode.worlds.python.sandbox_cache import sandbox_cache
from intercode.worlds.python.unit_tests import TestResult
from intercode_sandbox.deadline import PATIENCE
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox

TEST_SECONDS = 8.0
"""What one test may take of a processor, or spend idle.

APPS's own evaluation gives 4 s by the clock, and one of MBPP's golds takes as long on a busy machine.
"""


MOST_LATE = 2
"""Tests that may run out of time; the rest then counts as failed."""

AGAIN = 60.0
"""Seconds that the actions may take when they are run again because tests have killed the interpreter that knew them.

The rest then counts as failed: else a test that kills it and actions that take their time would have us judge for days.
"""

GIVEN_UP = "not run: the tests before it had killed the interpreter too often"

ENDED_ITSELF = "died 0"
"""The end of a program that has ended its own process with status 0 (`os._exit`), or has become another (`exec`)."""

_TIMED_OUT = ("died 152", "died 137")
"""Ends of a process that has used up the processor's time, or the clock's."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What an agent hands in: a function among what its actions define, or a whole program.

    Attributes:
        script: The actions that its interpreter knows, with the seconds that each may take.
        name: The function; "": the one that the tests call, or else the last one.
        program: The program; None where a function is handed in.
    """

    script: tuple[tuple[str, float], ...] = ()
    name: str = ""
    program: str = ""

    @classmethod
    def of_function(cls, script: Sequence[tuple[str, float]], given: str, seconds: float) -> Submission:
        """Return what is handed in by `submit` with the text *given* after *script*: code itself may take *seconds*."""
        if given and not given.replace(".", "_").isidentifier():
            return cls(((given, seconds),))
        return cls(tuple(script), given)

    def last_function(self) -> str:
        """Return the name of the function that is defined last; "" where none is."""
        found = FUNCTIONS.findall("\n".join(text for text, _ in self.script))
        return str(found[-1]) if found else ""


@dataclass(frozen=True, slots=True)
class TestJudge:
    """Where judging is done: fresh sessions of *image* in *sandbox*, `seconds` of a processor for each test."""

    sandbox: Sandbox
    image: Image
    limits: Limits | None

    @property
    def seconds(self) -> float:
        """Return what one test may take."""
        return min(TEST_SECONDS, (self.limits or Limits()).seconds)

    @contextmanager
    def run_submission(self, submission: Submission, before: str = "") -> Iterator[SubmissionProcess]:
        """Provide a clean session in which the submission's actions have been run."""
        interpreter = InterpreterPool.of(self.sandbox).take(self.sandbox, self.image, self.limits)
        try:
            process = SubmissionProcess(interpreter, submission, before, self.seconds)
            process.load()
            yield process
        finally:
            interpreter.session.close()

    def judge(self, tests: HiddenTests, process: SubmissionProcess) -> tuple[TestResult, ...]:
        """Return each test's result.

        Raises:
            MachineError: If the sandbox breaks.
        """
        ask = process.runs if tests.wants_program else process.values
        answers, late = [], 0
        for test in tests.tests:
            answers.append(
                SubmissionAnswer(why="not run: too many tests ran out of time")
                if late >= MOST_LATE
                else ask(tests, test)
            )
            late += answers[-1].why == OUT_OF_TIME
        if tests.wants_program:
            return tuple(map(_judge_output, tests.tests, answers))
        return ResultChecker.of(self.sandbox).check(self, tests, answers)


OUT_OF_TIME = "ran out of time"
NOT_PLAIN = "returned what is no plain data (numbers, texts, lists and the like), or too much of it"


@dataclass(frozen=True, slots=True)
class SubmissionAnswer:
    """What the agent's code answered to a test: texts, or why there are none."""

    texts: tuple[str, ...] = ()
    why: str = ""


@dataclass
class SubmissionProcess:
    """An interpreter that knows a submission. Whatever it says is only an answer."""

    interpreter: Interpreter
    submission: Submission
    before: str = ""
    seconds: float = TEST_SECONDS
    is_stuck: bool = False
    """It has not even said that a test ran out of time: somebody has laid hands on it."""

    again: float = AGAIN
    """Seconds that are left for running the actions again."""

    def load(self) -> None:
        """Run the actions, without a look at what they print."""
        self._order("silence_output")
        if self.before:
            self._order("run", self.before, 0)
        for number, (text, seconds) in enumerate(self.submission.script, 1):
            if self.interpreter.order("run", text, number, seconds=seconds).is_lost:
                self.interpreter.session.kill()  # of what is lost only the files have a part in the judgement
                self._order("silence_output")

    def values(self, tests: HiddenTests, test: HiddenTest) -> SubmissionAnswer:
        """Return the values of a test's calls, one after the other in one fork."""
        names = tests.function, self.submission.name, self.submission.last_function()
        answer = self._answer("value", *names, tests.setup, list(test.calls))
        return answer if answer.why else SubmissionAnswer(tuple(answer.texts[0].split("\n")))

    def runs(self, tests: HiddenTests, test: HiddenTest) -> SubmissionAnswer:
        """Return what the program prints for a test."""
        return self._answer("program", self.submission.program, (test.given or "").encode("utf-8", "surrogatepass"))

    def _answer(self, order: str, *arguments: object) -> SubmissionAnswer:
        if self.is_stuck:
            return SubmissionAnswer(why=OUT_OF_TIME)
        if self.again <= 0:
            return SubmissionAnswer(why=GIVEN_UP)
        reply = self._order(order, self.seconds, *arguments, seconds=by_the_clock(self.seconds))
        self.is_stuck = reply.fate in ("killed", "interrupted")
        if reply.fate in ("died", "forged", "absent"):
            self._load_again()
        why = _why_not(reply, *(("done", ENDED_ITSELF) if order == "program" else ("done",)))
        return SubmissionAnswer(why=why) if why else SubmissionAnswer((reply.text,))

    def _load_again(self) -> None:
        began = time.monotonic()
        self.load()
        self.again -= time.monotonic() - began

    def _order(self, name: str, *arguments: object, seconds: float = 10.0) -> InterpreterReply:
        return self.interpreter.order(name, *arguments, seconds=seconds)


def by_the_clock(seconds: float) -> float:
    """What the host waits for an answer that may take so many seconds of a processor, and start processes itself."""
    return PATIENCE * seconds + 1


def _why_not(reply: InterpreterReply, *good_ends: str) -> str:
    """Return why *reply* is no answer; "" where it is one, with one of *good_ends*."""
    if reply.end in good_ends:
        return "the answer is too long" if reply.result.truncated else ""
    if reply.fate in ("killed", "interrupted") or reply.end in _TIMED_OUT:
        return OUT_OF_TIME
    if reply.end.startswith("error "):
        return describe_error(reply.end.removeprefix("error "))
    return "the process ended"


def describe_error(name: str) -> str:
    """Return why there is no answer, where what asks for it has ended with the exception *name*."""
    return NOT_PLAIN if name == "NotPlainError" else f"raised {name[:100]}"


def _judge_output(test: HiddenTest, answer: SubmissionAnswer) -> TestResult:
    if answer.why:
        return TestResult(False, answer.why)
    passed = prints_the_same(answer.texts[0], test.expected)
    return TestResult(passed, "" if passed else "another output")


class ResultChecker:
    """Checks values in a session that never sees an agent's code; one for each sandbox, and ended with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._interpreters: dict[str, Interpreter] = {}

    @classmethod
    def of(cls, sandbox: Sandbox) -> ResultChecker:
        """Return the checker of *sandbox*."""
        return sandbox_cache(sandbox, cls)

    @property
    def interpreters(self) -> tuple[Interpreter, ...]:
        """Those that check, one for each image."""
        return tuple(self._interpreters.values())

    def check(
        self, test_judge: TestJudge, tests: HiddenTests, answers: Sequence[SubmissionAnswer]
    ) -> tuple[TestResult, ...]:
        """Return the results of tests that ask for values."""
        checks = [(test.check, answer.texts) for test, answer in zip(tests.tests, answers, strict=True)]
        if any(texts for _, texts in checks):
            with self._lock:
                held = self._run_checks(test_judge, tests.checking, checks)
        else:  # there is nothing to check
            held = [False] * len(checks)
        return tuple(
            TestResult(not answer.why and holds, answer.why or ("" if holds else "another value"))
            for answer, holds in zip(answers, held, strict=True)
        )

    def _run_checks(
        self, test_judge: TestJudge, setup: str, checks: Sequence[tuple[str, tuple[str, ...]]]
    ) -> list[bool]:
        try:
            reply = self._ask(test_judge, setup, checks)
        except SessionLostError:  # of these values, or of others before
            reply = self._ask(test_judge, setup, checks)
        if reply.fate == "died":  # of what it was asked, or since it was asked last: by itself, or of other values
            reply = self._ask(test_judge, setup, checks)
        held = reply.text if reply.end == "done" else ""
        return [held[number : number + 1] == "1" for number in range(len(checks))]

    def _ask(
        self, test_judge: TestJudge, setup: str, checks: Sequence[tuple[str, tuple[str, ...]]]
    ) -> InterpreterReply:
        interpreter, seconds = self._interpreter(test_judge), by_the_clock(TEST_SECONDS)
        try:
            return interpreter.order("check", TEST_SECONDS, setup, list(checks), seconds=seconds)
        except MachineError:  # its session is gone, and the next check begins with another
            self._interpreters.pop(test_judge.image.digest).session.close()
            raise

    def _interpreter(self, test_judge: TestJudge) -> Interpreter:
        if test_judge.image.digest not in self._interpreters:
            maker = InterpreterPool.of(test_judge.sandbox)
            self._interpreters[test_judge.image.digest] = maker.take(
                test_judge.sandbox, test_judge.image, test_judge.limits
            )
        return self._interpreters[test_judge.image.digest]
