"""The half of `grow_tests.py` that runs published code; it is sent into a sandbox, and imports nothing of ours.

A line of standard input is a job as JSON: `codes` are run one after the other, each in a fork, and each asked for all
`tests` (a call, and what must hold of its value as `_value_0`). A line of output says what each code did: for each
test `[seconds, held, value]`, or null where it raised or took too long; or else, where the job is `brief`, a text with
1 for each test that it passed and 0 for the others.
"""

import json
import os
import resource
import signal
import sys
import time
import warnings
from typing import Any

Job = dict[str, Any]
Tests = list[tuple[Any, Any]]


class TooLong(BaseException):
    """The time of a test is over. Code that catches exceptions does not catch it."""


def give_up(number: int, frame: object) -> None:
    """Called when the time is over."""
    raise TooLong


def ask(space: dict[str, Any], checks: dict[str, Any], call: Any, check: Any, job: Job) -> Any:
    """Return what code says to one test."""
    signal.setitimer(signal.ITIMER_VIRTUAL, job["seconds"])
    began = time.process_time()
    try:
        value = eval(call, space)
        took = time.process_time() - began
        held = True
        if check:
            try:
                exec(check, {**checks, "_value_0": value})
            except Exception:  # noqa: BLE001 # values may compare as they like
                held = False
        text = "" if job["brief"] else repr(value)
        return [took, held, text if len(text) < 4000 else ""]
    except Exception:  # noqa: BLE001 # it is wrong then
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def run(job: Job, code: str, tests: Tests) -> list[Any]:
    """Return the answers of one code."""
    signal.signal(signal.SIGVTALRM, give_up)
    for name, most in ((resource.RLIMIT_CPU, 20), (resource.RLIMIT_AS, 2 << 30)):
        resource.setrlimit(name, (most, most))
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    answers: list[Any] = [None] * len(tests)
    space: dict[str, Any] = {"__name__": "__main__"}
    checks: dict[str, Any] = {}
    late = 0
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 1)
        exec(code, space)
        exec(job["setup"], space)
        exec(job["checking"], checks)
        for place, (call, check) in enumerate(tests):
            try:
                answers[place] = ask(space, checks, call, check, job)
            except TooLong:
                late += 1
                if late >= job["patience"]:
                    break
    except BaseException:  # noqa: BLE001 # what was asked before counts
        pass
    return answers


def in_fork(job: Job, code: str, tests: Tests) -> Any:
    """Return the answers of one code, which may do to its process what it likes."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        answers: Any = run(job, code, tests)
        if job["brief"]:
            answers = "".join("1" if each and each[1] else "0" for each in answers)
        with open(writing, "w") as stream:
            stream.write(json.dumps(answers))
        os._exit(0)
    os.close(writing)
    with open(reading) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    nothing = "0" * len(tests) if job["brief"] else [None] * len(tests)
    return json.loads(text) if text else nothing


def compiled(tests: Tests) -> Tests:
    """Return each call, and each check, ready to run."""
    return [(compile(call, "<call>", "eval"), check and compile(check, "<check>", "exec")) for call, check in tests]


warnings.simplefilter("ignore")
for line in sys.stdin:
    job = json.loads(line)
    tests = compiled(job["tests"])
    print(json.dumps([in_fork(job, code, tests) for code in job["codes"]]), flush=True)
