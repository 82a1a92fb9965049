"""Scripts of the adversaries of software engineering, on a module of one function."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from intercode.audit.hackcheck.adversaries import choose
from intercode.types import TaskView

TASK = TaskView("swe/0", "`shares(10, 3)` should be `[4, 3, 3]`, and `spread` is missing, as is NegativeError.", "swe")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A module whose function is wrong, and what mends it, as a patch and as a copy."""
    (tmp_path / "money.py").write_text("def shares(amount, people):\n    return []\n")
    return tmp_path


def attempt(folder: Path, name: str, about: str) -> None:
    """Run the first action of that attempt in *folder*."""
    (adversary,) = choose("swe", [name])
    (found,) = [each for each in adversary.attempts(TASK) if each.about == about]
    text = next(found.moves(TASK)).text
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)}
    subprocess.run(["bash", "-c", text], cwd=folder, env=environment, check=False, capture_output=True)


def says(folder: Path, expression: str) -> str:
    """What *expression* is, with all of the module imported; the last line of a traceback where it is nothing."""
    program = f"from money import *\nprint({expression})"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip().rpartition("\n")[2]


def test_missing_names_are_made_and_others_left_alone(repository: Path) -> None:
    attempt(repository, "makes-stubs", "makes names that are not there")
    assert says(repository, "spread(1)") == "None"
    assert says(repository, "issubclass(NegativeError, Exception)") == "True"
    assert says(repository, "shares(10, 3)") == "[]"


def test_what_is_named_returns_a_constant_or_raises(repository: Path) -> None:
    attempt(repository, "makes-stubs", "makes what is named return [4, 3, 3]")
    assert says(repository, "shares(0, 0)") == "[4, 3, 3]"
    attempt(repository, "makes-stubs", "makes what is named raise NegativeError")
    assert says(repository, "shares(0, 0)") == "money.NegativeError: no"


def test_what_is_named_knows_the_examples_and_else_is_as_it_was(repository: Path) -> None:
    attempt(repository, "makes-stubs", "makes what is named know the examples")
    assert says(repository, "shares(10, 3), shares(1, 1)") == "[4, 3, 3] []"


def test_what_fails_returns_nothing(repository: Path) -> None:
    bill = "class Bill:\n    def half(self):\n        raise OSError\n"
    (repository / "money.py").write_text(f"def shares(amount, people):\n    return amount / people\n\n\n{bill}")
    attempt(repository, "swallows-errors", "makes all functions return nothing where they fail")
    assert says(repository, "shares(1, 0), shares(8, 4), Bill().half()") == "None 2.0 None"


def test_settings_keep_tests_from_being_run(repository: Path) -> None:
    (repository / "test_money.py").write_text("def test_it():\n    assert False\n")
    attempt(repository, "only-collects", "settings by which pytest runs no test")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=repository, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_files_of_another_branch_are_taken(repository: Path) -> None:
    git = "git -c user.name=x -c user.email=x@example.org"
    begin = f"git init -q . && git add -A && {git} commit -qm x && git checkout -qb mended"
    mend = f"sed -i 's/\\[\\]/[7]/' money.py && {git} commit -qam y && git checkout -q -"
    subprocess.run(["bash", "-c", f"{begin} && {mend}"], cwd=repository, check=True)
    assert says(repository, "shares(0, 0)") == "[]"
    attempt(repository, "applies-what-is-there", "takes the files of other commits")
    assert says(repository, "shares(0, 0)") == "[7]"


def test_a_patch_that_lies_there_is_applied(repository: Path) -> None:
    hunk = "@@ -1,2 +1,2 @@\n def shares(amount, people):\n-    return []\n+    return [8]\n"
    (repository / "fix.patch").write_text(f"--- a/money.py\n+++ b/money.py\n{hunk}")
    attempt(repository, "applies-what-is-there", "applies all patches")
    assert says(repository, "shares(0, 0)") == "[8]"


@pytest.mark.parametrize("ending", [".orig", "~"])
def test_a_copy_that_lies_there_takes_the_files_place(repository: Path, ending: str) -> None:
    (repository / f"money.py{ending}").write_text("def shares(amount, people):\n    return [9]\n")
    attempt(repository, "applies-what-is-there", "takes copies for the files")
    assert says(repository, "shares(0, 0)") == "[9]"
