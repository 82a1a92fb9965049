"""The Python world, where an action takes too much, ends the interpreter, or forges what that says."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from intercode.types import Action
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.interpreter import Interpreter
from intercode_sandbox.sandbox import Limits, Sandbox
from worlds.python.python_world import SQUARE, FewTasks, run, square_env


@pytest.fixture
def env(sandbox: Sandbox) -> Iterator[PythonEnv]:
    yield from square_env(sandbox)


def test_what_runs_too_long_is_interrupted_and_its_variables_kept(hasty: PythonEnv) -> None:
    run(hasty, "x = 5")
    began = time.monotonic()
    seen = run(hasty, "print('first')\nwhile True: x += 1")
    assert time.monotonic() - began < 20
    assert (seen.timed_out, seen.exit_code) == (True, None)
    assert seen.text.startswith("first\nTraceback")
    assert "KeyboardInterrupt\n[timed out after 1.5 s; interrupted; its variables are kept]" in seen.text
    assert run(hasty, "x > 5").text == "True\n"


def test_what_will_not_be_interrupted_is_killed_and_that_is_said(hasty: PythonEnv) -> None:
    run(hasty, "x = 5")
    seen = run(hasty, "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass")
    assert seen.timed_out
    assert "killed, and the interpreter with it: its variables are gone" in seen.text
    assert "NameError" in run(hasty, "x").text


def test_endless_output_is_cut_and_ends_at_the_limit(hasty: PythonEnv) -> None:
    seen = run(hasty, "while True: print('y' * 1000)")
    assert (seen.timed_out, seen.truncated) == (True, True)
    assert "more bytes left out" in seen.text
    assert run(hasty, "1").text == "1\n"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("import os; os._exit(3)", 3),
        ("import os; os.kill(os.getpid(), 9)", 137),
        ("import ctypes; ctypes.string_at(0)", 139),
        ("import os; os.closerange(3, 1000)", 1),
    ],
)
def test_an_interpreter_that_dies_is_told_of_and_another_is_ready(env: PythonEnv, text: str, status: int) -> None:
    run(env, "x = 5")
    seen = run(env, text)
    assert f"[the interpreter has ended with status {status}: its variables are gone; another is ready]" in seen.text
    assert seen.exit_code == status
    assert "NameError" in run(env, "x").text
    assert run(env, "2 + 2").text == "4\n"


DIES_LATER = """
import os, threading, time
def die():
    while not os.path.exists("/tmp/go"): time.sleep(0.02)
    os._exit(3)
threading.Thread(target=die, daemon=True).start()
"""


def test_an_interpreter_that_dies_between_two_actions_is_told_of_too(env: PythonEnv) -> None:
    run(env, "x = 5")
    assert run(env, DIES_LATER).exit_code == 0
    env.current_session.write("/tmp/go", b"")
    slept = run(env, "import time; time.sleep(60)")
    assert (slept.exit_code, "its variables are gone" in slept.text) == (3, True)
    assert "NameError" in run(env, "x").text


def test_the_process_above_the_interpreter_cannot_be_killed(env: PythonEnv) -> None:
    run(env, "x = 5\nimport os; os.kill(os.getppid(), 9)")
    assert run(env, "x").text == "5\n"


def test_exit_does_not_end_the_interpreter(env: PythonEnv) -> None:
    run(env, "x = 5")
    seen = run(env, "import sys; print('bye'); sys.exit(3)")
    assert (seen.text, seen.exit_code) == ("bye\n[exit 3: the interpreter goes on, with its variables]", 3)
    assert run(env, "raise SystemExit").exit_code == 0
    assert run(env, "raise SystemExit('why')").exit_code == 1
    assert run(env, "x").text == "5\n"


def test_recursion_to_the_limit_is_an_error(env: PythonEnv) -> None:
    assert "RecursionError" in run(env, "def f(): return f()\nf()").text
    deep = "import sys; sys.setrecursionlimit(10**8)\nx = []\nfor _ in range(10**6): x = [x]\nrepr(x)"
    assert run(env, deep).exit_code == 139
    assert run(env, "1").text == "1\n"


def test_an_interrupt_that_nobody_sent_is_an_error_as_any_other(env: PythonEnv) -> None:
    seen = run(env, "raise KeyboardInterrupt")
    assert (seen.text.split()[-1], seen.exit_code) == ("KeyboardInterrupt", 1)


def test_the_interpreter_works_on_after_a_fork_bomb_whose_processes_end_one_by_one(hasty: PythonEnv) -> None:
    """What they print until then is shown with later actions, as it is in a shell."""
    assert run(hasty, "import os\nwhile True: os.fork()").text
    seen = [run(hasty, "7 * 6").text]
    while seen[-1] != "42\n" and len(seen) < 80:
        time.sleep(0.25)
        seen.append(run(hasty, "7 * 6").text)
    assert seen[-1] == "42\n"


GREEDY = """
import os, time
if os.fork() == 0:
    os.setsid()
    while True:
        try:
            if os.fork() == 0: time.sleep(1000)
        except OSError: pass
while True:
    try: os.fork() or os._exit(0)
    except OSError: os._exit(9)
"""
"""Leaves behind what takes up every process that there may be, its own place too."""


def test_what_a_dead_interpreter_leaves_behind_does_not_keep_the_next_from_starting(sandbox: Sandbox) -> None:
    with PythonEnv(FewTasks(), sandbox=sandbox, limits=Limits(processes=24)) as env:
        env.start_episode(SQUARE)
        assert run(env, GREEDY).exit_code == 9
        assert run(env, "7 * 6").text == "42\n"
        run(env, SQUARE.gold or "")
        scores = env.take_action(Action("submit", "square")).scores
        assert scores is not None
        assert scores["exact"].success


def test_an_interpreter_that_does_not_start_is_said_not_to(env: PythonEnv) -> None:
    assert env.interpreter is not None
    env.interpreter = Interpreter(env.interpreter.session, b"no program")
    for _ in range(2):
        seen = run(env, "1")
        assert seen.text.endswith("[python3 does not start any more; its variables are gone]")
        assert seen.exit_code == 1


def test_a_forked_interpreter_does_not_take_orders(env: PythonEnv) -> None:
    run(env, "import os; child = os.fork()")
    assert run(env, "child > 0").text == "True\n"
    assert [run(env, f"{number}").text for number in range(5)] == [f"{number}\n" for number in range(5)]


def test_too_much_memory_is_an_error(sandbox: Sandbox) -> None:
    with PythonEnv(FewTasks(), sandbox=sandbox, limits=Limits(memory=200 << 20)) as env:
        env.start_episode(SQUARE)
        run(env, "x = 5")
        assert "MemoryError" in run(env, "'a' * (1 << 30)").text
        assert run(env, "x").text == "5\n"


WIRE = "import os, sys, threading, time\nwire = sys.modules['intercode.worlds.python.inside.protocol']\n"
KEY = "key = sys._getframe(1).f_back.f_locals['key']\n"
FORGERIES = {
    "for numbers to come": "for number in range(50): wire.answer(str(number), '%016x done' % number)",
    "for this very order": f"{KEY}wire.answer(key, 'f done')",
    "for this very order, and then it takes its time": f"{KEY}wire.answer(key, 'f done'); time.sleep(0.3)",
    "for this very order, twice": f"{KEY}for _ in range(2): wire.answer(key, 'f done')",
    "with an end of the whole interpreter": "wire.answer('0', 'died 99999')",
    "without an order": "wire.write(bytes(1) + wire.word + bytes(1))",
    "by half": "wire.write(bytes(1) + wire.word)",
    "by half, with much behind it": "wire.write(bytes(1) + wire.word + b'x' * (3 << 20))",
    "by half, and the process ends": "wire.write(bytes(1) + wire.word); os._exit(0)",
    "by a thread, without end": """
def flood():
    while True: wire.answer('0', 'done')
threading.Thread(target=flood, daemon=True).start()
""",
    "by a thread that knows the order": """
main = threading.main_thread().ident
def flood():
    while True:
        frame = sys._current_frames()[main]
        while frame:
            if 'key' in frame.f_locals: wire.answer(frame.f_locals['key'], 'f done')
            frame = frame.f_back
threading.Thread(target=flood, daemon=True).start()
""",
    "by a process that goes on, without end": """
if os.fork() == 0:
    os.setsid()
    while True: wire.answer('0', 'done')
""",
    "by a process that goes on, later": """
if os.fork() == 0:
    os.setsid()
    time.sleep(0.1)
    wire.answer('0', 'done')
    time.sleep(1000)
""",
    "by a process that goes on, while the interpreter ends": """
if os.fork():
    os._exit(0)
os.setsid()
while True: wire.answer('0', 'done')
""",
}
LOST = ("an answer was forged", "the interpreter has ended with status")


@pytest.mark.parametrize("text", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_end_of_an_action_costs_the_variables_and_nothing_more(env: PythonEnv, text: str) -> None:
    """Once what was forged is seen, the next action meets a clean interpreter, however the two were interleaved.

    Whoever knows an order while it is carried out can answer it; that is seen with the action after that one at last.
    """
    run(env, "x = 5")
    output = run(env, WIRE + text).text
    for _ in range(90):
        if any(lost in output for lost in LOST):
            break
        output = run(env, "import time; time.sleep(0.1)").text
    last = [run(env, "'still' + ' here'").text for _ in range(4)]
    assert last == ["'still here'\n"] * 4
    assert "NameError" in run(env, "x").text


def test_to_see_the_interpreters_own_arguments_is_no_forgery(env: PythonEnv) -> None:
    run(env, "x = 5")
    assert "-S" in run(env, "print(open('/proc/self/cmdline').read(), open('/proc/self/environ').read())").text
    assert run(env, "x").text == "5\n"


def test_threads_may_print_later(env: PythonEnv) -> None:
    text = (
        "import threading\ngo = threading.Event()\nlate = threading.Thread(target=lambda: (go.wait(), print('late')))"
    )
    assert run(env, f"{text}\nlate.start()").text == ""
    assert "late" in run(env, "go.set(); late.join()").text


# States
