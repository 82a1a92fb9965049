"""The Python world: an interpreter that stays, and says what became of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import gymnasium
import pytest

from envs.python_world import ECHO, SQUARE, WORDS, FewTasks
from intercode.envs.python import PythonEnv
from intercode.envs.python.interpreter import Interpreter
from intercode.sandboxes.base import Limits, Sandbox
from intercode.types import Action, Observation, Task, Turn

LIMITS = Limits(seconds=1.5)
Make = Callable[..., PythonEnv]


@pytest.fixture
def env(sandbox: Sandbox) -> Iterator[PythonEnv]:
    with PythonEnv(FewTasks(), sandbox=sandbox, turns=100) as env:
        env.start_episode(SQUARE)
        yield env


@pytest.fixture
def hasty(sandbox: Sandbox) -> Iterator[PythonEnv]:
    """With little time."""
    with PythonEnv(FewTasks(), sandbox=sandbox, turns=100, limits=LIMITS) as env:
        env.start_episode(SQUARE)
        yield env


@pytest.fixture
def published(sandbox: Sandbox) -> Iterator[PythonEnv]:
    with PythonEnv(FewTasks("paper"), sandbox=sandbox, turns=100) as env:
        env.start_episode(SQUARE)
        yield env


def run(env: PythonEnv, text: str) -> Observation:
    return env.take_action(Action("execute", text)).observation


def hand_in(env: PythonEnv, task: Task, *actions: str) -> Turn:
    env.start_episode(task)
    for action in actions:
        turn = env.take_action(Action.parse(action))
    return turn


def test_state_lives_on_and_values_are_shown_as_at_a_prompt(env: PythonEnv) -> None:
    assert run(env, "x = 20").text == ""
    assert run(env, "x + 1").text == "21\n"
    assert run(env, "_ + 1").text == "22\n"
    assert run(env, "None").text == ""
    assert run(env, "'é'").text == "'é'\n"


def test_definitions_have_many_lines_and_a_last_expression_is_shown(env: PythonEnv) -> None:
    text = "class Wheel:\n    spokes = 32\n\n    def __repr__(self):\n        return f'<{self.spokes}>'\n\nWheel()"
    assert run(env, text).text == "<32>\n"
    assert run(env, "for n in range(2):\n    print(n)\n").text == "0\n1\n"
    assert run(env, "").text == ""


def test_output_and_errors_come_in_order(env: PythonEnv) -> None:
    text = "import os, sys\nprint('a')\nprint('b', file=sys.stderr)\nos.system('echo c')\nprint('d')\n'e'"
    assert run(env, text).text == "a\nb\nc\nd\n'e'\n"


def test_a_traceback_has_the_lines_of_every_action_and_none_of_ours(env: PythonEnv) -> None:
    run(env, "def half(x):\n    return x / 0")
    seen = run(env, "half(1)")
    assert (seen.exit_code, seen.text.splitlines()[0]) == (1, "Traceback (most recent call last):")
    assert "    half(1)\n" in seen.text
    assert "    return x / 0\n" in seen.text
    assert seen.text.endswith("ZeroDivisionError: division by zero\n")
    assert "interpreter" not in seen.text


def test_a_syntax_error_is_an_observation(env: PythonEnv) -> None:
    seen = run(env, "def f(:")
    assert "SyntaxError" in seen.text
    assert run(env, "1").text == "1\n"


def test_input_is_at_its_end(env: PythonEnv) -> None:
    assert run(env, "input()").text.endswith("EOFError: EOF when reading a line\n")
    assert run(env, "import sys; sys.stdin.read()").text == "''\n"


def test_the_images_python_is_used(env: PythonEnv) -> None:
    """And not the one that this runs in, with what is installed there."""
    assert run(env, "import sys; sys.executable").text == "'/usr/bin/python3'\n"
    assert run(env, "import gymnasium").exit_code == 1
    path = "import os; os.popen('python3 -c \"import sys; print(sys.path)\"').read() == f'{sys.path}\\n', exit, help"
    assert run(env, path).text.startswith("(True, Use exit()")
    assert run(env, "import __main__; __name__, __main__.__name__, sys.argv").text == "('__main__', '__main__', [''])\n"


def test_code_is_compiled_as_anywhere_else(env: PythonEnv) -> None:
    """Nothing that our own program asks of the compiler is asked for the agent's code."""
    assert run(env, "def f(x: int): pass\nf.__annotations__['x'] is int").text == "True\n"


def test_classes_can_be_pickled_and_data_classes_made(env: PythonEnv) -> None:
    text = (
        "import dataclasses, pickle\n@dataclasses.dataclass\nclass P:\n    x: int\n\npickle.loads(pickle.dumps(P(3)))"
    )
    assert run(env, text).text == "P(x=3)\n"


# Ends, by whatever cause


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


def test_an_interpreter_that_dies_between_two_actions_is_told_of_too(env: PythonEnv) -> None:
    run(env, "x = 5")
    assert run(env, "import os, threading; threading.Timer(0.1, lambda: os._exit(3)).start()").exit_code == 0
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
    while seen[-1] != "42\n" and len(seen) < 40:
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


WIRE = "import os, sys, threading, time\nwire = sys.modules['intercode.envs.python.inside.protocol']\n"
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
    text = "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()"
    assert run(env, text).text == ""
    assert "late" in run(env, "time.sleep(0.5)").text


# States


def test_states_tell_variables_and_files_apart(env: PythonEnv) -> None:
    def state(text: str) -> str:
        return env.take_action(Action("execute", text)).state_hash

    empty = state("1")
    one, same = state("x = [1, {'a': {2, 3}}]"), state("y = 1; del y")
    assert len({empty, one, state("x.append(4)"), state("def f(): return 1"), state("def f(): return 2")}) == 5
    assert one == same
    assert state("open('/tmp/f', 'w').close()") != state("import os; os.remove('/tmp/f')")


def test_a_state_is_told_without_running_the_agents_code(env: PythonEnv) -> None:
    text = "class Odd(list):\n    def __repr__(self): print('!')\n    __len__ = __iter__ = __repr__\nodd = Odd()"
    assert run(env, text).text == ""


# Handing in


@pytest.mark.parametrize(
    ("actions", "value"),
    [
        (["def square(n): return n * n", "submit square"], 1.0),
        (["def f(n): return n * n", "submit f"], 1.0),
        (["def f(n): return n * n", "submit"], 1.0),
        (["def square(n): return n * n\ndef other(n): return 0", "submit"], 1.0),
        (["square = lambda n: n ** 2", "submit"], 1.0),
        (["class A:\n    @staticmethod\n    def f(n): return n * n", "submit A.f"], 1.0),
        (["from operator import mul", "def f(n): return mul(n, n)", "1 / 0", "submit f"], 1.0),
        (["submit def square(n): return n * n"], 1.0),
        (["submit\ndef square(n):\n    return n * n"], 1.0),
        (["def f(n): return abs(n * n) if n > 0 else 0", "submit f"], 2 / 3),
        (["def square(n): return n * n", "submit nothing"], 0.0),
        (["def square(n): return n * n", "del square", "submit square"], 0.0),
        (["def square(n): return n * n", "import os; os._exit(0)", "submit square"], 0.0),
        (
            [
                "open('/tmp/helper.py', 'w').write('def square(n): return n * n')",
                "import os; os._exit(0)",
                "import sys; sys.path.append('/tmp'); from helper import square",
                "submit square",
            ],
            1.0,
        ),
        (["x = 1", "submit"], 0.0),
        (["submit"], 0.0),
        (["submit !!"], 0.0),
    ],
)
def test_a_function_is_handed_in(env: PythonEnv, actions: list[str], value: float) -> None:
    scores = hand_in(env, SQUARE, *actions).scores
    assert scores is not None
    assert scores["exact"].value == pytest.approx(value)
    assert scores["exact"].success is (value == 1)


def test_values_are_compared_as_what_they_hold(env: PythonEnv) -> None:
    for text, value in (
        ("def words(text): return frozenset(text.split())", 1.0),
        ("from collections import Counter\ndef words(text): return set(Counter(text.split()))", 1.0),
        ("def words(text): return dict.fromkeys(text.split()).keys()", 1.0),
        ("def words(text): return {word: 1 for word in text.split()}.items()", 0.0),
        ("def words(text): return dict(enumerate(sorted({*text.split()}))).values()", 0.5),
        ("def words(text): return text.split()", 0.5),
        ("def words(text):\n    for word in text.split(): yield word", 0.5),
        ("def words(text): return object()", 0.0),
    ):
        scores = hand_in(env, WORDS, text, "submit").scores
        assert scores is not None
        assert scores["exact"].value == value, text


def test_a_program_is_handed_in_and_judged_by_what_it_prints(hasty: PythonEnv) -> None:
    program = "import sys\nfor line in sys.stdin: print(line.upper(), end='')"
    for actions, value in (
        ([f"submit {program}"], 1.0),
        ([program, "submit"], 1.0),
        (["submit print('A'); print('B')"], 0.5),
        ([f"submit {program}\nsys.exit(0)"], 1.0),
        ([f"submit {program}\nsys.exit(1)"], 0.0),
        (["submit while True: pass"], 0.0),
    ):
        scores = hand_in(hasty, ECHO, *actions).scores
        assert scores is not None
        assert scores["exact"].value == value, actions
        notes = scores["exact"].notes
    assert notes == ("test 1: ran out of time", "test 2: ran out of time")


def test_a_test_that_never_ends_does_not_take_the_others_along(hasty: PythonEnv) -> None:
    text = "def square(n):\n    while n == -2: pass\n    return n * n"
    scores = hand_in(hasty, SQUARE, text, "submit").scores
    assert scores is not None
    assert scores["exact"].value == pytest.approx(2 / 3)
    assert "would hang" in scores["paper"].notes[0]


def test_actions_that_took_too_long_are_not_waited_for_again(hasty: PythonEnv) -> None:
    run(hasty, "def square(n): return n * n\nimport time\ntime.sleep(100)")
    began = time.monotonic()
    scores = hasty.take_action(Action("submit")).scores
    assert scores is not None
    assert scores["exact"].success
    assert time.monotonic() - began < 50


def test_judging_leaves_the_interpreter_as_it_was(env: PythonEnv) -> None:
    run(env, "def f(n): return n * n\nx = 5")
    before = env.judge()
    assert before is not None
    assert before["exact"].success
    assert run(env, "x, f(2), 'square' in globals()").text == "(5, 4, False)\n"


# As published


def test_actions_are_shown_as_published(published: PythonEnv) -> None:
    for text, seen in (
        ("1 + 1", "{'output': '2', 'error': ''}"),
        ("x = 5", "{'output': '', 'error': ''}"),
        ("print(' a ')", "{'output': 'a', 'error': ''}"),
        ("def f(n): return n / 0", "{'output': '', 'error': ''}"),
        ("f(1)", "{'error': 'Error: division by zero'}"),
        ("from math import pi", "{'error': 'Error: invalid syntax (<string>, line 1)'}"),
        ("import math", "{'output': '', 'error': ''}"),
        ("assert False", "{'error': 'Error: '}"),
        ("sys.stderr.write('e') and None", "{'output': 'None', 'error': 'e'}"),
        ("for n in range(3): n", "{'error': 'Error: invalid syntax (<string>, line 1)'}"),
        ("def f(:", "{'error': 'Error: invalid syntax (<string>, line 1)'}"),
        ("x y", "Error executing action: invalid syntax (<unknown>, line 1)"),
    ):
        assert run(published, text).text == seen


def test_the_published_reward_has_its_faults(published: PythonEnv) -> None:
    """The same failure counts as the same result, what says yes to everything is right, and the gold is left behind."""

    def reward(*actions: str, task: Task = SQUARE) -> tuple[float, float]:
        scores = hand_in(published, task, *actions).scores
        assert scores is not None
        return scores["paper"].value, scores["exact"].value

    assert reward("def square(n): return n * n", "submit square") == (1.0, 1.0)
    yes = "import types\nyes = type('Yes', (), {'__eq__': lambda self, other: True})"
    assert reward(yes, "def square(n): return yes()", "submit square") == (1.0, 0.0)
    assert reward("import builtins\nbuiltins.exec = lambda *a: None", "submit nothing") == (1.0, 0.0)
    assert reward("def square(n): print(n); return n * n", "submit square") == (0.0, 1.0)
    failing = Task("tiny/failing", "Fail.", "def f(n): return n", "python", extra={"tests": ["assert f(1) == 2"]})
    assert reward("def f(n): return 0", "submit f", task=failing) == (1.0, 0.0)


def test_the_gold_stays_behind_after_a_published_judgement(published: PythonEnv) -> None:
    run(published, "def wrong(n): return 0")
    published.submitted = "wrong"
    judged = published.judge()
    assert judged is not None
    assert judged["paper"].value == 0
    published.submitted = "square"
    again = published.judge()
    assert again is not None
    assert (again["paper"].value, again["exact"].value) == (1.0, 0.0)


def test_gymnasium_makes_it_by_name() -> None:
    with gymnasium.make("intercode/Python-v1") as env:
        assert isinstance(env.unwrapped, PythonEnv)
        assert env.reset(options={"task": "initials"})[0].startswith("Write a function `initials(name)`")
