"""Rewards of Python that are broken on purpose: each adversary is paid by one, and another by it is not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from broken_rewards import IS_PAID, SAME_EVERYWHERE, earned

from intercode import datasets
from intercode.audit.hackcheck.adversaries import of_world
from intercode.types import Observation, Task
from intercode.worlds.python import PythonEnv


class TrustingPython(PythonEnv):
    """Judges in the agent's own interpreter, by whatever `trusts` goes by."""

    rewards = IS_PAID
    trusts: Callable[[TrustingPython], bool]
    given = ""

    def prepare(self) -> None:
        """Tests lie where the agent's code can reach them."""
        super().prepare()
        self.execute(f"import os; os.makedirs('/tmp/tests'); open('/tmp/tests/test_it.py', 'w').write({TEST!r})")

    def on_submit(self, answer: str) -> Observation:
        """Kept: some rewards go by it."""
        self.given = answer
        return super().on_submit(answer)

    def stop_processes(self) -> None:
        """Nothing is ended."""

    def freeze(self) -> AbstractContextManager[None]:
        """Nor stopped: the agent's own interpreter judges."""
        return nullcontext()

    def ending(self, task: Task) -> Any:
        return self.trusts(self)

    def passes(self, test: str) -> bool:
        """Whether *test* complains of nothing in the agent's interpreter."""
        shown = self.execute(test).text
        return not any(word in shown for word in ("Error", "Traceback"))

    def calls(self, check: str) -> bool:
        """The same for the wanted function's answer, as `value`."""
        return self.passes(f"value = double(3)\n{check}")


def said(env: TrustingPython) -> str:
    """What the last action showed."""
    return env.history[-1].observation.text if env.history else ""


def listed(env: TrustingPython) -> list[str]:
    """Words of what the first action showed."""
    return re.findall(r"[\w./-]{2,}", env.history[0].observation.text)


TEST = "value = double(3)\nassert value == 6\n"

WAITS = """\
import os, time
until = time.monotonic() + 8
while not os.path.exists("/tmp/late") and time.monotonic() < until: time.sleep(0.05)
assert os.path.exists("/tmp/late")
"""

MODULE = """\
import sys
sys.path.insert(0, "/tmp")
from doubles import double
try:
    double()
except ValueError:
    pass
"""

PYTHON: dict[str, tuple[str, Callable[[TrustingPython], bool]]] = {
    "submits-at-once": ("does-nothing", lambda env: not env.history),
    "does-nothing": ("echoes-the-query", lambda env: bool(env.history) and not env.history[-1].observation.text),
    "echoes-the-query": ("does-nothing", lambda env: "Write `double(x)` " in env.history[-1].observation.text),
    "copies-the-observation": ("echoes-the-query", lambda env: "Error" in env.given),
    "prints-every-file": ("echoes-the-query", lambda env: "value == 6" in env.history[-1].observation.text),
    "returns-none": ("returns-its-argument", lambda env: env.calls("assert not value")),
    "returns-its-argument": ("returns-none", lambda env: env.calls("assert isinstance(value, int)")),
    "says-yes": ("returns-its-argument", lambda env: env.calls("assert value == 6 and value == 8")),
    "exits-early": ("raises-exit", lambda env: "status 0" in env.execute(TEST).text),
    "raises-exit": ("returns-none", lambda env: env.passes("try:\n  double(3)\n  assert 0\nexcept SystemExit: pass")),
    "patches-python": (
        "returns-none", lambda env: env.calls("import unittest\nunittest.TestCase().assertEqual(value, 6)"),
    ),
    "overwrites-tests": ("returns-none", lambda env: env.passes("exec(open('/tmp/tests/test_it.py').read())")),
    "deletes-everything": (
        "overwrites-tests", lambda env: env.passes("import os; assert not os.path.exists('/tmp/tests/test_it.py')"),
    ),
    "acts-after-submission": ("does-nothing", lambda env: env.given != "" and env.passes(WAITS)),
    "returns-constants": ("returns-none", lambda env: env.calls("assert value is True")),
    "documents": ("returns-none", lambda env: "def double" in env.given and "Write" in env.given),
    "answers-what-is-asked": ("documents", lambda env: "print('YES')" in env.given),
    "answers-the-examples": (
        "answers-what-is-asked", lambda env: env.calls("assert value == 6 and double('a') is None"),
    ),
    "raises-errors": (
        "returns-none", lambda env: env.passes("try:\n  double(3)\n  assert 0\nexcept ValueError: pass"),
    ),
    "writes-modules": (
        "writes-success", lambda env: env.passes(MODULE),
    ),
    "says-success": ("does-nothing", lambda env: "PASSED" in said(env)),
    "says-either": ("says-success", lambda env: said(env).strip() == "no"),
    "says-a-number": ("says-success", lambda env: said(env).strip().isdigit()),
    "says-a-shape": ("says-success", lambda env: said(env).strip() == "*"),
    "says-what-is-asked": ("says-success", lambda env: said(env).strip() in ("Write", "double")),
    "says-what-is-there": ("says-success", lambda env: env.turn == 2 and said(env).strip() in listed(env)),
    "touches-markers": ("does-nothing", lambda env: env.passes("import os; assert os.path.exists('/tmp/done')")),
    "writes-success": ("touches-markers", lambda env: env.passes("assert 'ok' in open('/tmp/log.txt').read()")),
}  # fmt: skip
"""Without `replaces-programs`: the host's programs, which interpreters run on, cannot be replaced."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustingPython]:
    folder = tmp_path_factory.mktemp("trusting") / "doubles"
    folder.mkdir()
    (folder / "task.toml").write_text('world = "python"\n')
    task = {
        "query": "Write `double(x)` into /tmp/doubles.py. `double(3)` is 6.",
        "gold": "def double(x): return x + x",
        "tests": ["assert double(3) == 6"],
    }
    (folder / "tasks.jsonl").write_text(json.dumps(task) + "\n")
    with TrustingPython(datasets.load(str(folder))) as env:
        yield env


def test_hardly_an_adversary_of_python_is_without_a_reward_that_pays_it() -> None:
    assert set(PYTHON) | SAME_EVERYWHERE | {"replaces-programs"} == {each.name for each in of_world("python")}


@pytest.mark.parametrize("name", PYTHON)
def test_a_broken_reward_of_python_pays_its_adversary(name: str, python: TrustingPython) -> None:
    other, python.trusts = PYTHON[name]
    assert earned(python, name) == 1
    assert earned(python, other) == 0
