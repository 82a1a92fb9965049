"""The Python world: what is handed in, and what that is worth."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from intercode.types import Action, Task, Turn
from intercode.worlds.python import PythonEnv
from intercode_sandbox.sandbox import Sandbox
from worlds.python.python_world import ECHO, SQUARE, WORDS, run, square_env


@pytest.fixture
def env(sandbox: Sandbox) -> Iterator[PythonEnv]:
    yield from square_env(sandbox)


@pytest.fixture
def published(sandbox: Sandbox) -> Iterator[PythonEnv]:
    yield from square_env(sandbox, "paper")


def hand_in(env: PythonEnv, task: Task, *actions: str) -> Turn:
    env.start_episode(task)
    for action in actions:
        turn = env.take_action(Action.parse(action))
    return turn


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


def test_numbers_without_literals_are_compared_as_all_others(env: PythonEnv) -> None:
    for value in ("complex(0, float('inf'))", "complex(float('-inf'), 1)", "[float('-inf'), 1 - 0j]"):
        task = replace(SQUARE, extra={"tests": [f"assert square(1) == {value}"]})
        scores = hand_in(env, task, f"def square(n): return {value}", "submit").scores
        assert scores is not None
        assert scores["exact"].value == 1, value


def test_a_value_that_is_no_data_is_told_from_an_exception(env: PythonEnv) -> None:
    scores = hand_in(env, WORDS, "def words(text): return object()", "submit").scores
    assert scores is not None
    assert scores["exact"].notes[0].startswith("test 1: returned what is no plain data")


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


@pytest.mark.parametrize(
    "program",
    [
        "import threading\nthreading.Thread(target=lambda: print(shout())).start()",
        "import atexit, io, sys\nsys.stdout = io.StringIO()\n"
        "atexit.register(lambda: sys.__stdout__.write(sys.stdout.getvalue()))\nprint(shout())",
        "import sys\nsys.__stdout__.write(shout())",
        "import sys\nsys.stdout = open(1, 'w', closefd=False)\nprint(shout())",
        "import sys\nprint(shout())\nsys.stdout.close()",
        "import sys\nprint(shout())\nsys.stdout = None",
        "import os\nprint(shout(), flush=True)\nos._exit(0)",
        "import os, sys\nos.execv(sys.executable, [sys.executable, '-c', f'print({shout()!r})'])",
        "import os\nif os.fork() == 0: print(shout())\nelse: os.wait()",
    ],
    ids=["thread", "atexit", "__stdout__", "own stream", "closed", "no stream", "_exit", "exec", "fork"],
)
def test_a_program_ends_as_python_ends_it(hasty: PythonEnv, program: str) -> None:
    """It waits for threads, calls what `atexit` knows, and loses nothing that was printed."""
    text = f"import sys\ndef shout(): return sys.stdin.read().upper()\n{program}"
    scores = hand_in(hasty, ECHO, f"submit {text}").scores
    assert scores is not None
    assert scores["exact"].value == 1, scores["exact"].notes


def test_a_program_that_ends_itself_with_another_status_has_failed(hasty: PythonEnv) -> None:
    text = "import os, sys\nprint(sys.stdin.read().upper(), flush=True)\nos._exit(1)"
    scores = hand_in(hasty, ECHO, f"submit {text}").scores
    assert scores is not None
    assert scores["exact"].notes[0] == "test 1: the process ended"


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
