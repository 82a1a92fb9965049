"""A session in which submissions are judged one after the other, as long as none of them leaves anything in it.

Starting a session and a Python in it takes most of the time of judging a short submission. So the Python here runs
nothing itself. Each submission has a fork of it, in which all tests are asked one after the other, and the next one
begins as the first did if this one has changed no file and nothing else around it: no process, device or shared memory
is left, nothing was sent over the network, and no limit of the Python here is another. Else it gets a new session. What
it writes into the memory of the Python here, through /proc, is not seen: of all that is played only golds and near
misses could do so, which are the data set's own.

That says the same as `TestJudge`, which has a fork for each test, unless one test sees what another has left. Where
the variables tell of such a thing, or the fork ends, each test has a fork of its own here, too.
"""

from __future__ import annotations

from dataclasses import replace

from intercode.closing import Closeable
from intercode.envs.core.observations import observe
from intercode.envs.python.inside.text_or_error import RAISED
from intercode.envs.python.interpreter import START, Interpreter, InterpreterReply
from intercode.envs.python.interpreter_pool import InterpreterPool
from intercode.envs.python.test_judge import Submission, SubmissionAnswer, TestJudge, by_the_clock, describe_error
from intercode.errors import SessionLostError
from intercode.rewards.python.hidden_tests import HiddenTests
from intercode.types import Observation

DEEP = f"{RAISED}RecursionError"
"""How deep code may go depends on who has called it."""


AHEAD = ("traceback", "linecache", "shutil", "unittest")
"""What adversaries import, and what shows errors: to import it takes ten times longer than a fork."""


class AttemptSession(Closeable):
    """Asks submissions. Not safe to use from several threads. Its Python has imported the modules *ahead*.

    *is_shared*: whether it is looked at what a submission leaves; else each has a session of its own.

    Attributes:
        sessions: How many sessions of the sandbox were begun.
    """

    def __init__(self, ahead: tuple[str, ...] = AHEAD, *, is_shared: bool = True) -> None:
        self._interpreter: Interpreter | None = None
        self._surroundings = ""
        self._ahead = ahead
        self._is_shared = is_shared
        self.sessions = 0

    @property
    def is_open(self) -> bool:
        """Whether the last submission has left nothing."""
        return self._interpreter is not None

    def answers(
        self, judge: TestJudge, submission: Submission, tests: HiddenTests, *, apart: bool = False
    ) -> tuple[SubmissionAnswer, ...] | None:
        """What *submission* answers to each of the *tests*, which ask for values; None where only *judge* can tell.

        *judge* is always alike. *apart*: each test has a fork of its own in any case.
        """
        if tests.before or submission.program:
            return None
        if not apart:
            together = self._ask(judge, submission, tests, apart=False)
            if together is not None or not self.is_open:
                return together
        return self._ask(judge, submission, tests, apart=True)

    def show(self, judge: TestJudge, text: str) -> Observation | None:
        """What *text* shows as the first action of an episode; None where only an episode can tell."""
        reply = self._order(judge, "show", judge.seconds, text)
        _, _, how = (reply.end if reply is not None and not reply.fate else "").partition(" ")
        if reply is None or how not in ("done", "error"):
            return None
        seen = observe(reply.result, seconds=judge.seconds)
        return replace(seen, exit_code=1) if how == "error" else seen

    def _ask(
        self, judge: TestJudge, submission: Submission, tests: HiddenTests, *, apart: bool
    ) -> tuple[SubmissionAnswer, ...] | None:
        seconds = min([judge.seconds, *[each for _, each in submission.script]])
        script = [text for text, _ in submission.script]
        names = [tests.function, submission.name, submission.last_function(), tests.setup]
        calls = [list(test.calls) for test in tests.tests]
        reply = self._order(judge, "attempt", seconds, script, names, calls, apart)
        return None if reply is None else _answers(reply, len(calls))

    def _order(self, judge: TestJudge, name: str, seconds: float, *arguments: object) -> InterpreterReply | None:
        """What becomes of an order that has *seconds*; None where somebody has broken the session."""
        interpreter = self._interpreter or self._begin(judge)
        try:
            reply = interpreter.order(name, seconds, *arguments, seconds=by_the_clock(seconds))
            if not (self._is_shared and self._is_clean(interpreter)):
                self.close()
        except SessionLostError:
            self.close()
            return None
        except BaseException:
            self.close()
            raise
        return reply

    def _begin(self, judge: TestJudge) -> Interpreter:
        pool = InterpreterPool.of(judge.sandbox)
        self._interpreter = interpreter = pool.take(judge.sandbox, judge.image, judge.limits, modules=self._ahead)
        self.sessions += 1
        if interpreter.modules != self._ahead:
            interpreter.order("get_ahead", list(self._ahead), seconds=START)
        self._surroundings = interpreter.order("surroundings", seconds=START).end
        return interpreter

    def _is_clean(self, interpreter: Interpreter) -> bool:
        """Whether all is as it was when the session began."""
        seconds = interpreter.session.limits.seconds
        now = interpreter.order("surroundings", seconds=seconds).end if interpreter.is_alive else ""
        return bool(now) and now == self._surroundings and not interpreter.session.changes()

    def close(self) -> None:
        """End the session."""
        if self._interpreter is not None:
            self._interpreter.session.close()
            self._interpreter = None


def _answers(reply: InterpreterReply, count: int) -> tuple[SubmissionAnswer, ...] | None:
    """The answers to *count* tests in *reply*; None where it has not come to its end, or might not be all of it."""
    texts = reply.text.split("\1")
    if reply.fate or reply.end != "done" or reply.result.truncated or len(texts) != count or DEEP in texts:
        return None
    return tuple(map(_answer, texts))


def _answer(text: str) -> SubmissionAnswer:
    """As `SubmissionProcess` has it."""
    if text == RAISED:
        return SubmissionAnswer(why="the process ended")
    if text.startswith(RAISED):
        return SubmissionAnswer(why=describe_error(text.removeprefix(RAISED)))
    return SubmissionAnswer(tuple(text.split("\n")))
