"""What an exam keeps from the agent, and how its tests are called."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

from intercode.datasets.repositories import TestSpec, TestSuite, gold_command

FIX = (
    "--- a/src/core.py\n+++ b/src/core.py\n@@ -1 +1 @@\n-a\n+b\n--- a/setup.cfg\n+++ b/setup.cfg\n@@ -1 +1 @@\n-a\n+b\n"
)
TESTS = "--- a/checks/data.txt\n+++ b/checks/data.txt\n@@ -1 +1 @@\n-a\n+b\n"


def exam(*fail_to_pass: str, suite: TestSuite | None = None, test_patch: str = TESTS) -> TestSpec:
    return TestSpec(FIX, test_patch, fail_to_pass, (), suite or TestSuite())


@pytest.mark.parametrize(
    "path",
    [
        *("conftest.py", "deep/conftest.py", "pytest.ini", "tox.ini", "pyproject.toml", "sitecustomize.py"),
        *("tests/helper.py", "pkg/tests/__init__.py", "test/x.txt", "test_top.py", "pkg/core_test.py"),
        *("checks/data.txt", "checks/check_core.py"),
        *(".git/config", "sub/.git/HEAD", ".GIT/config", "pkg/__pycache__/x.cpython-311.pyc", "x.pyc", "x.pth"),
        *("x.egg-info/entry_points.txt", "lib/y.dist-info/METADATA"),
    ],
)
def test_tests_what_steers_them_and_what_nobody_reads_are_kept(path: str) -> None:
    assert exam("checks/check_core.py::test_a").keeps(path)


def test_files_that_hold_tests_of_unittest_are_kept_whatever_they_are_called() -> None:
    """Also those that the test patch does not touch: a test that has to go on passing may be in one."""
    suite = TestSuite("unittest", path=("lib",), script="tools/run.py")
    held = exam("test_a (checks.check_core.CoreTest)", suite=suite)
    for path in ("checks/check_core.py", "lib/checks/check_core.py", "tools/checks/check_core.py", "tools/run.py"):
        assert held.keeps(path)
    assert not held.keeps("checks/core.py")


@pytest.mark.parametrize(
    "path", ["src/core.py", "setup.cfg", "latest_news.py", "contest/x.py", "testing/tools.py", "git/x.py", "README.md"]
)
def test_what_may_be_mended_is_not(path: str) -> None:
    """Nor what the gold itself changes, whatever it is called."""
    assert not exam("checks/check_core.py::test_a").keeps(path)


def test_what_the_hidden_tests_bring_is_kept_even_where_the_gold_changes_it() -> None:
    assert exam(test_patch=FIX).keeps("src/core.py")


def test_pytest_is_told_the_files() -> None:
    names = ("tests/test_a.py::test_x[1-a b]", "tests/test_a.py::T::test_y", "b/test_b.py::test_z")
    assert exam(*names).targets == ("tests/test_a.py", "b/test_b.py")


def test_bare_names_are_looked_for_in_the_files_of_the_test_patch() -> None:
    patch = "--- a/x/tests/test_m.py\n+++ b/x/tests/test_m.py\n@@ -1 +1 @@\n-a\n+b\n" + TESTS
    assert exam("test_sum", test_patch=patch).targets == ("x/tests/test_m.py",)


@pytest.mark.parametrize(
    ("name", "dotted"),
    [
        ("test_a (tests.test_x.CaseTest)", "tests.test_x.CaseTest.test_a"),
        ("test_a (tests.test_x.CaseTest.test_a)", "tests.test_x.CaseTest.test_a"),
        ("tests.test_x.CaseTest.test_a", "tests.test_x.CaseTest.test_a"),
        ("tests/test_x.py::CaseTest::test_a", "tests.test_x.CaseTest.test_a"),
    ],
)
def test_unittest_is_told_dotted_names_however_they_are_written(name: str, dotted: str) -> None:
    assert exam(name, suite=TestSuite("unittest")).targets == (dotted,)


def test_with_a_test_that_is_only_described_unittest_runs_whole_files() -> None:
    """The description is its docstring's first line, which tells neither file nor class."""
    patch = "--- a/tests/test_y.py\n+++ b/tests/test_y.py\n@@ -1 +1 @@\n-a\n+b\n"
    spec = exam("Adds two numbers.", suite=TestSuite("unittest"), test_patch=patch)
    both = replace(spec, pass_to_pass=("test_a (tests.test_x.CaseTest)",))
    assert both.targets == ("tests.test_x", "tests.test_y")


def test_a_program_of_the_projects_own_is_told_the_modules_of_the_test_patch() -> None:
    """From its own folder, as Django's wants it, whatever the tests' descriptions are."""
    patch = "".join(
        f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n" for path in ("tests/forms/test_x.py", "docs/a.txt")
    )
    suite = TestSuite("unittest", script="tests/runtests.py")
    assert exam("A described test.", suite=suite, test_patch=patch).targets == ("forms.test_x",)


def test_a_gold_of_any_text_gets_through_the_shell() -> None:
    """Quotes, dollars, the marker itself, and no line break at the end."""
    for patch in ("a $HOME `x` \"'\\\nPATCH\nPATCH_\n", "no end", "dos\r\n\n \n"):
        command = gold_command(patch).replace("git apply --whitespace=nowarn", "cat")
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
        assert done.stdout.decode() == (patch if patch.endswith("\n") else f"{patch}\n")
        assert done.stderr == b""
