"""Tests broken on purpose: those that are meant, in whatever way they are written, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.worlds.swe import SweEnv
from intercode.worlds.swe.inside.mutate_tests import ANOTHER, BROKEN, another_value, mutate, mutate_tests
from intercode_sandbox.sandbox import Sandbox
from worlds.swe.swe_world import PASSING, TinySwe, judged

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
    assert mutate(text.encode(), {"test_a"}).decode() == spoiled


@pytest.mark.parametrize(
    ("test", "spoiled"),
    [
        ("assert f() == 3", "assert f() == 4"),
        ("assert [1, 2] == f()", "assert [1, 3] == f()"),
        ("assert f() == wanted, 'é'", "assert f() == object(), 'é'"),
        ("assert f('é') == (\n    1 +\n    2)", "assert f('é') == (\n    1 +\n    3)"),
        ("x = f()\n    assert x == 1\n    assert x == -1", "x = f()\n    assert x == 2\n    assert x == -1"),
        ("self.assertEqual(f(), {'a': 1}, 'why')", "self.assertEqual(f(), {'a': 2}, 'why')"),
        ("self.assertEqual('a', f())", "self.assertEqual('b', f())"),
        ("assert f() == []", "assert f() == [0]"),
        ("assert f() == {}", "assert f() == {0: 0}"),
        ("assert f() == ''", "assert f() == 'x'"),
        ("assert f() == b'a/'", "assert f() == b'a/x'"),
        ("assert f() == 1e300", "assert f() == 1.5"),
        ("assert f() is True", "assert f() is False"),
        ("assert f() is None", "assert f() is object()"),
        ("assert f() == None", "assert f() == 0"),
        ("assert f() == [Span(1, 9)]", "assert f() == [Span(1, 10)]"),
        ("assert f() == Version('1.9')", "assert f() == Version('1.0')"),
        ("assert f() == g(3)", "assert f() == object()"),
        ("wanted = 3\n    assert f() == wanted", "wanted = 3\n    assert f() == 4"),
        ("rows = [1]\n    self.assertEqual(f(rows), rows)", "rows = [1]\n    self.assertEqual(f(rows), [2])"),
        ("for n in (1, 2):\n        assert f(n) == 3", "for n in (1, 2):\n        assert f(n) == 4"),
        ("with self.subTest():\n        assert f() == 3", "with self.subTest():\n        assert f() == 4"),
        ("assert 1 < f() == 2", f"{ERROR}\n    assert 1 < f() == 2"),
        ("self.assertEqual(*both)", f"{ERROR}\n    self.assertEqual(*both)"),
        ("if f():\n        assert f() == 1", f"{ERROR}\n    if f():\n        assert f() == 1"),
        ("for n in f():\n        assert n == 1", f"{ERROR}\n    for n in f():\n        assert n == 1"),
        ("with raises(E):\n        assert f() == 1", f"{ERROR}\n    with raises(E):\n        assert f() == 1"),
        ("assert f()", f"{ERROR}\n    assert f()"),
    ],
)
def test_what_a_test_compares_with_for_sure_becomes_another_value(test: str, spoiled: str) -> None:
    head = '"""é"""\ndef test_a(self):\n    '
    assert mutate(f"{head}{test}\n".encode(), {"test_a"}).decode() == f"{head}{spoiled}\n"


def test_what_a_helper_of_the_tests_compares_is_broken_with_them_once() -> None:
    text = """
def test_a(self):
    self.check("a", 3)
def test_b(self):
    self.check("b", 4)
def check(self, text, wanted):
    self.assertEqual(f(text), wanted)
def unused(self):
    assert f() == 1
"""
    spoiled = mutate(text.encode(), {"test_a", "test_b"}).decode()
    assert spoiled.count(ANOTHER.format("wanted")) == 1
    assert spoiled.replace(ANOTHER.format("wanted") + "\n    ", "") == text


@pytest.mark.parametrize("value", [True, 3, 0.5, "a", [1], (1, 2), None, {1: 2}])
def test_a_parameter_that_is_only_compared_with_gets_another_value(value: object) -> None:
    """Not one that the tested code is given too: what comes of it then, nobody knows."""
    twice = b"def test_a(n, wanted):\n    assert f(wanted) == wanted\n"
    assert mutate(twice, {"test_a"}) == twice.replace(b"== wanted", b"== object()")
    space: dict[str, Any] = {}
    exec(mutate(b"def test_a(n, wanted):\n    assert n == wanted\n", {"test_a"}), space)
    with pytest.raises(AssertionError):
        space["test_a"](value, value)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=3)
    ),
)


@given(values)
def test_another_value_is_another_one_of_the_same_type(value: object) -> None:
    other = another_value(value)
    assert other != value
    assert value is None or type(other) is type(value)


def test_what_is_only_described_and_what_a_decorator_makes_several_of_is_found() -> None:
    text = b'@each(1, 2)\ndef test_b(n):\n    x = n\ndef test_c():\n    """It adds.\n\n    Much.\n    """\n    x = 1\n'
    assert mutate(text, {"It adds."}).count(BROKEN) == 1
    assert mutate(text, {"test_b_0", "test_b_1"}).count(BROKEN) == 1
    assert mutate(text, {"test_c_0"}) == text


def test_what_is_no_file_of_pythons_is_left(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_bytes(b"def test_a(:\n")
    mutate_tests([str(tmp_path / "odd.py"), str(tmp_path / "none.py"), str(tmp_path)], ["test_a"])
    assert (tmp_path / "odd.py").read_bytes() == b"def test_a(:\n"


def test_a_file_of_two_names_is_broken_once(tmp_path: Path) -> None:
    """Broken twice, it would be whole again."""
    file = tmp_path / "test_a.py"
    file.write_text("def test_a():\n    assert f() == True\n")
    (tmp_path / "link.py").symlink_to(file)
    mutate_tests([str(file), f"{tmp_path}/./test_a.py", str(tmp_path / "link.py")], ["test_a"])
    assert file.read_text() == "def test_a():\n    assert f() == False\n"


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
