"""What a hidden test may take: a processor's time, and not the clock's on a busy machine."""

from __future__ import annotations

from intercode.worlds.python.hidden_tests import HiddenTest, HiddenTests
from intercode.worlds.python.interpreter_pool import InterpreterPool
from intercode.worlds.python.test_judge import GIVEN_UP, OUT_OF_TIME, Submission, SubmissionAnswer, SubmissionProcess
from intercode_sandbox import images
from intercode_sandbox.sandbox import Sandbox

SECONDS = 0.5
TESTS = HiddenTests((HiddenTest(("work()",), "assert _value_0 == 1"),), "work")
WORK = """
import os, time
def work():
    {before}
    began = time.process_time()
    while {until}: {meanwhile}
    return 1
"""
WORKED = "time.process_time() - began < 0.08"
WAITED = "int(open('/proc/self/schedstat').read().split()[1]) < 1.2e9"
"""Until it was ready and had no processor for 1.2 s: a busier machine only sees to that sooner."""
CROWD = """os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])
    for _ in range(15):
        if os.fork() == 0:
            while True: os.getppid() != 1 or os._exit(0)"""


def answer(sandbox: Sandbox, *, until: str = WORKED, **parts: str) -> SubmissionAnswer:
    interpreter = InterpreterPool.of(sandbox).take(sandbox, images.find("host"), None)
    with interpreter.session:
        stand = SubmissionProcess(
            interpreter, Submission(((WORK.format(until=until, **parts), 10.0),)), seconds=SECONDS
        )
        stand.load()
        return stand.values(TESTS, TESTS.tests[0])


def test_what_must_wait_for_a_processor_is_waited_for(sandbox: Sandbox) -> None:
    """Fifteen others are on the same one: it waits for more than twice what is allowed, and works a twelfth of that."""
    assert answer(sandbox, before=CROWD, until=WAITED, meanwhile="pass") == SubmissionAnswer(("1",))


def test_what_is_never_idle_and_works_little_is_ended(sandbox: Sandbox) -> None:
    half = (
        "time.sleep(0.02); began = time.process_time(); any(time.process_time() > began + 0.02 for _ in iter(int, 1))"
    )
    assert answer(sandbox, before="pass", meanwhile=half).why == OUT_OF_TIME


def test_what_is_idle_is_ended(sandbox: Sandbox) -> None:
    assert answer(sandbox, before="time.sleep(60)", meanwhile="pass").why == OUT_OF_TIME


def test_what_works_too_long_is_ended(sandbox: Sandbox) -> None:
    assert answer(sandbox, before="pass", meanwhile="began = time.process_time()").why == OUT_OF_TIME


def test_actions_are_not_run_again_and_again_for_tests_that_kill_what_knows_them(sandbox: Sandbox) -> None:
    interpreter = InterpreterPool.of(sandbox).take(sandbox, images.find("host"), None)
    text = "import os, time\ntime.sleep(0.2)\ndef work(): os.kill(os.getppid(), 9)"
    with interpreter.session:
        stand = SubmissionProcess(interpreter, Submission(((text, 10.0),)), again=0.3)
        stand.load()
        first, _, *rest = [stand.values(TESTS, TESTS.tests[0]).why for _ in range(5)]
    assert first == "the process ended"
    assert set(rest) == {GIVEN_UP}
