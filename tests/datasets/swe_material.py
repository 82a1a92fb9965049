"""Repositories and tasks in SWE-bench's format, made for tests."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 2 * a\n"
FIXED = CALC.replace("a - b", "a + b")
TESTS = "from calc import add, double\n\n\ndef test_double():\n    assert double(2) == 4\n"
HIDDEN = TESTS + "\n\ndef test_add():\n    assert add(2, 3) == 5\n"
SECRET = "the fix that came later"

ENVIRONMENTS = '["demo/calc"]\nrunner = "pytest"\npytest = true\nseconds = 30\n'


def git(folder: Path, *arguments: str) -> str:
    """Run git in *folder* as somebody, at some time."""
    who = {f"GIT_{role}_{what}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": "/dev/null"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path, message: str, **files: str) -> str:
    """Write *files* (`__` stands for a dot, `_in_` for a slash), commit all, and return the commit."""
    for name, content in files.items():
        path = folder / name.replace("_in_", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def make_repository(folder: Path) -> tuple[str, str, str]:
    """A repository of three commits and a tag; the commits, oldest first. The second is where a task would begin."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    first = commit(folder, "Begin", calc__py=CALC.replace("2 * a", "a + a"))
    base = commit(folder, "Doubling", calc__py=CALC, tests_in_test_calc__py=TESTS, __gitignore="build/\n*.log\n")
    later = commit(folder, SECRET, calc__py=FIXED, tests_in_test_calc__py=HIDDEN)
    git(folder, "tag", "v2")
    return first, base, later


def record(folder: Path, **changes: Any) -> dict[str, Any]:
    """The task of `make_repository`'s base commit, as SWE-bench would publish it, with *changes*."""
    first, base, later = git(folder, "rev-list", "--reverse", "v2").split()
    return {
        "repo": "demo/calc",
        "instance_id": "demo__calc-1",
        "base_commit": base,
        "patch": git(folder, "diff", base, later, "--", "calc.py") + "\n",
        "test_patch": git(folder, "diff", base, later, "--", "tests") + "\n",
        "problem_statement": "`add(2, 3)` is -1.\n\nIt should be 5.",
        "hints_text": "somebody wrote a minus",
        "created_at": "2024-01-01T00:00:00Z",
        "version": "1.0",
        "FAIL_TO_PASS": json.dumps(["tests/test_calc.py::test_add"]),
        "PASS_TO_PASS": json.dumps(["tests/test_calc.py::test_double"]),
        "environment_setup_commit": first,
        **changes,
    }


def make_material(folder: Path, **changes: Any) -> dict[str, Any]:
    """A mirror, a file of one task and a file of environments below *folder*, as options of the data set."""
    repository = folder / "mirrors" / "demo__calc"
    if not repository.exists():
        make_repository(repository)
    (folder / "tasks.jsonl").write_text(json.dumps(record(repository, **changes)) + "\n")
    (folder / "environments.toml").write_text(ENVIRONMENTS)
    return {
        "file": folder / "tasks.jsonl",
        "repositories": folder / "mirrors",
        "environments": folder / "environments.toml",
    }
