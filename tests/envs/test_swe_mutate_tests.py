"""Tests broken on purpose: those that are meant, in whatever way they are written, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from envs.swe_world import PASSING, TinySwe, judged
from intercode.envs.swe import SweEnv
from intercode.envs.swe.inside.mutate_tests import BROKEN, broken, mutate_tests
from intercode.sandboxes.base import Sandbox

ERROR = BROKEN.decode()


@pytest.mark.parametrize(
    ("text", "spoiled"),
    [
        ("def test_a():\n    x = 1\n", f"def test_a():\n    {ERROR}\n    x = 1\n"),
        ("def test_a(): x = 1\n", f"def test_a(): {ERROR}; x = 1\n"),
        ('def test_a():\n    """Adds."""\n    x = 1\n', f'def test_a():\n    """Adds."""\n    {ERROR}\n    x = 1\n'),
        ('def test_a(): "Adds."; x = 1\n', f'def test_a(): "Adds."; {ERROR}; x = 1\n'),
        ("async def test_a():\n\tawait x\n", f"async def test_a():\n\t{ERROR}\n\tawait x\n"),
        ("def test_a():\n    with x:\n        y()\n", f"def test_a():\n    {ERROR}\n    with x:\n        y()\n"),
        ("def test_a():\n    @d\n    def f(): pass\n", f"def test_a():\n    {ERROR}\n    @d\n    def f(): pass\n"),
        ("class é:\n  def test_a(s): 'é'; s.x()\n", f"class é:\n  def test_a(s): 'é'; {ERROR}; s.x()\n"),
        ("def test_ab():\n    x = 1\n", "def test_ab():\n    x = 1\n"),
        ("def helper():\n    test_a = 1\n", "def helper():\n    test_a = 1\n"),
    ],
)
def test_a_test_that_compares_nothing_fails_before_it_does_anything(text: str, spoiled: str) -> None:
    assert broken(text.encode(), {"test_a"}).decode() == spoiled


@pytest.mark.parametrize(
    ("test", "spoiled"),
    [
        ("assert f() == 3", "assert f() == object()"),
        ("assert [1, 2] == f()", "assert object() == f()"),
        ("assert f() == wanted, 'é'", "assert f() == object(), 'é'"),
        ("assert f('é') == (\n    1 +\n    2)", "assert f('é') == (\n    object())"),
        (
            "x = f()\n    assert x == 1\n    assert x == -1",
            "x = f()\n    assert x == object()\n    assert x == object()",
        ),
        ("self.assertEqual(f(), {'a': 1}, 'why')", "self.assertEqual(f(), object(), 'why')"),
        ("self.assertEqual('a', f())", "self.assertEqual(object(), f())"),
        ("assert 1 < f() == 2", f"{ERROR}\n    assert 1 < f() == 2"),
        ("self.assertEqual(*both)", f"{ERROR}\n    self.assertEqual(*both)"),
        ("if f():\n        assert f() == 1", f"{ERROR}\n    if f():\n        assert f() == 1"),
        ("assert f()", f"{ERROR}\n    assert f()"),
    ],
)
def test_what_a_test_compares_with_for_sure_equals_nothing(test: str, spoiled: str) -> None:
    head = '"""é"""\ndef test_a(self):\n    '
    assert broken(f"{head}{test}\n".encode(), {"test_a"}).decode() == f"{head}{spoiled}\n"


def test_what_is_only_described_and_what_a_decorator_makes_several_of_is_found() -> None:
    text = b'@each(1, 2)\ndef test_b(n):\n    x = n\ndef test_c():\n    """It adds.\n\n    Much.\n    """\n    x = 1\n'
    assert broken(text, {"It adds."}).count(BROKEN) == 1
    assert broken(text, {"test_b_0", "test_b_1"}).count(BROKEN) == 1
    assert broken(text, {"test_c_0"}) == text


def test_what_is_no_file_of_pythons_is_left(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_bytes(b"def test_a(:\n")
    mutate_tests([str(tmp_path / "odd.py"), str(tmp_path / "none.py"), str(tmp_path)], ["test_a"])
    assert (tmp_path / "odd.py").read_bytes() == b"def test_a(:\n"


INHERITED = """\
diff --git a/tests/base.py b/tests/base.py
new file mode 100644
--- /dev/null
+++ b/tests/base.py
@@ -0,0 +1,7 @@
+import unittest
+import calc
+
+
+class Base(unittest.TestCase):
+    def test_add(self):
+        self.assertEqual(calc.add(2, 3), 5)
diff --git a/tests/test_calc.py b/tests/test_calc.py
--- a/tests/test_calc.py
+++ b/tests/test_calc.py
@@ -1,8 +1,9 @@
 import unittest

 import calc
+from tests.base import Base


-class CalcTest(unittest.TestCase):
+class CalcTest(Base):
     def test_double(self):
         self.assertEqual(calc.double(2), 4)
"""


@pytest.fixture
def inherited(sandbox: Sandbox) -> Iterator[SweEnv]:
    with SweEnv(TinySwe(test_patch=INHERITED), sandbox=sandbox) as env:
        yield env


def test_a_right_fix_is_not_suspected_where_a_test_is_not_in_the_file_that_its_name_tells(inherited: SweEnv) -> None:
    """So it was not broken, and passes; with the gold it passes, too."""
    score = judged(inherited, PASSING)
    assert (score.value, score.notes) == (1, ())
    assert judged(inherited, "sed -i 's/a - b/a * b/' calc.py").value == 0
