"""A small software engineering world, for tests: one bug, tested by unittest and by pytest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intercode.datasets.base import Dataset
from intercode.datasets.repositories import ROOT, TestSuite, gold_command
from intercode.datasets.repositories.layers import PYTEST, Commit, history_layer, pytest_layers, tree_layer
from intercode.types import Score, Task
from intercode.worlds.swe import SweEnv
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 2 * a\n"
FIX = """\
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,5 +1,5 @@
 def add(a, b):
-    return a - b
+    return a + b


 def double(a):
"""
UNITTEST = """\
import unittest

import calc


class CalcTest(unittest.TestCase):
    def test_double(self):
        self.assertEqual(calc.double(2), 4)
"""
UNITTEST_PATCH = """\
diff --git a/tests/test_calc.py b/tests/test_calc.py
--- a/tests/test_calc.py
+++ b/tests/test_calc.py
@@ -6,3 +6,6 @@
 class CalcTest(unittest.TestCase):
     def test_double(self):
         self.assertEqual(calc.double(2), 4)
+
+    def test_add(self):
+        self.assertEqual(calc.add(2, 3), 5)
"""
PYTESTS = "import calc\n\n\ndef test_double():\n    assert calc.double(2) == 4\n"
PYTESTS_PATCH = """\
diff --git a/tests/test_calc.py b/tests/test_calc.py
--- a/tests/test_calc.py
+++ b/tests/test_calc.py
@@ -3,3 +3,7 @@

 def test_double():
     assert calc.double(2) == 4
+
+
+def test_add():
+    assert calc.add(2, 3) == 5
"""
RUN_TESTS = "import sys, unittest\n\nunittest.main(module=None, argv=['run_tests', *sys.argv[1:]], verbosity=2)\n"
PASSING = "sed -i 's/a - b/a + b/' calc.py"
"""A right fix."""


class TinySwe(Dataset):
    """`tiny-swe/unittest` and `tiny-swe/pytest`, whose tests have *seconds*; *suite* says what else they have."""

    name = "tiny-swe"
    world = "swe"

    def __init__(self, *, seconds: float = 30.0, fix: str = FIX, test_patch: str | None = None, **suite: Any) -> None:
        unittests = {
            "test_patch": test_patch or UNITTEST_PATCH,
            "FAIL_TO_PASS": ("test_add (tests.test_calc.CalcTest)",),
            "PASS_TO_PASS": ("test_double (tests.test_calc.CalcTest)",),
            "suite": TestSuite("unittest", **{"seconds": seconds, **suite}),
        }
        pytests = {
            "test_patch": test_patch or PYTESTS_PATCH,
            "FAIL_TO_PASS": ("tests/test_calc.py::test_add",),
            "PASS_TO_PASS": ("tests/test_calc.py::test_double",),
            "suite": TestSuite("pytest", **{"seconds": seconds, **suite}),
        }
        self._tasks = [
            Task(f"tiny-swe/{name}", "add(2, 3) is -1", gold_command(fix), "swe", extra={"patch": fix, **extra})
            for name, extra in (("unittest", unittests), ("pytest", pytests))
        ]
        self._images: dict[tuple[str, str], Image] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def __getitem__(self, index: int) -> Task:
        return self._tasks[index]

    def image(self, task: Task, base: Image) -> Image:
        key = (task.id, base.digest)
        if key not in self._images:
            self._images[key] = _image(base, UNITTEST if task.id.endswith("unittest") else PYTESTS)
        return self._images[key]


def _image(base: Image, tests: str) -> Image:
    needs_pytest = tests is PYTESTS
    tree = {"calc.py": CALC, "tests/test_calc.py": tests, "tests/__init__.py": "", ".gitignore": "build/\n*.log\n"}
    tree["run_tests.py"] = RUN_TESTS
    encoded = {path: content.encode() for path, content in tree.items()}
    return base.with_layers(
        *(pytest_layers() if needs_pytest else ()),
        tree_layer(encoded, title="a repository of the tests"),
        FilesLayer(links={f"{ROOT}/link": "/opt"}, title="a link in it"),
        history_layer([Commit("All", (".",))]),
        name="tiny-swe",
        env={"PYTHONPATH": PYTEST} if needs_pytest else {},
    )


def judged(env: SweEnv, *actions: str, task: str = "unittest") -> Score:
    """What `exact` says after *actions*."""
    return play(env, actions, task)["exact"]


def play(env: SweEnv, actions: Sequence[str], task: str) -> dict[str, Score]:
    """Both scores after *actions*."""
    env.reset(options={"task": task})
    for action in actions:
        env.step(action)
    return dict(env.step("submit")[4]["scores"])
