"""The Python world: an interpreter that stays, and says what became of it."""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium
import pytest

from intercode.types import Action
from intercode.worlds.python import PythonEnv
from intercode_sandbox.sandbox import Sandbox
from worlds.python.python_world import run, square_env


@pytest.fixture
def env(sandbox: Sandbox) -> Iterator[PythonEnv]:
    yield from square_env(sandbox)


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


def test_gymnasium_makes_it_by_name() -> None:
    with gymnasium.make("intercode/Python-v1") as env:
        assert isinstance(env.unwrapped, PythonEnv)
        assert env.reset(options={"task": "initials"})[0].startswith("Write a function `initials(name)`")
