"""Tasks of Harbor's that ask for one line in one file, each judged by another program."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

GREETING = "/app/greeting.txt"
SOLUTION = f"echo hello > {GREETING}\n"
END = "echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt"

VERIFIERS = {
    "awk": f"awk 'BEGIN{{s=1}} /^hello$/{{s=0}} END{{exit s}}' {GREETING}",
    "bash": f'[[ "$(< {GREETING})" == hello ]]',
    "bash-login": f"bash -lc 'grep -qx hello {GREETING}'",
    "cat": f'[ "$(cat {GREETING})" = hello ]',
    "cmp": f"cmp -s /tests/want.txt {GREETING}",
    "diff": f"diff -q /tests/want.txt {GREETING} > /dev/null",
    "env": f"/usr/bin/env grep -qx hello {GREETING}",
    "find": f'[ -n "$(find {GREETING} -size -7c -exec grep -lx hello {{}} \\;)" ]',
    "git": f"git diff --no-index --quiet /tests/want.txt {GREETING}",
    "grep": f"grep -qx hello {GREETING}",
    "make": "make -s -f /tests/Makefile",
    "perl": f"""perl -e 'use strict; open(F,"{GREETING}") or exit 1; exit(<F> ne "hello\\n")'""",
    "pytest": "python3 -m pytest -q /tests/test_outputs.py",
    "python": "python3 /tests/check.py",
    "python-code": f"""python3 -c 'import json, re, sys; sys.exit(open("{GREETING}").read() != "hello\\n")'""",
    "python-isolated": "python3 -I /tests/check.py",
    "sed": f"[ \"$(sed -n '1{{/^hello$/p}}' {GREETING})\" = hello ]",
    "sh": f"sh -c 'read -r word < {GREETING} && [ $word = hello ]'",
    "sha256sum": "sha256sum -c --status /tests/sums.txt",
    "sort": f'[ "$(sort {GREETING} | uniq -c | wc -w)" = 2 ] && grep -qx hello {GREETING}',
    "unittest": "python3 -m unittest discover -q -s /tests -p 'unit_*.py'",
}
"""Commands that succeed where the file is right, by name."""

FILES = {
    "want.txt": "hello\n",
    "check.py": f"import sys\nsys.exit(open('{GREETING}').read().strip() != 'hello')\n",
    "test_outputs.py": f"def test_it():\n    assert open('{GREETING}').read() == 'hello\\n'\n",
    "unit_greeting.py": "import unittest\n\n\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n"
    f"        self.assertEqual(open('{GREETING}').read(), 'hello\\n')\n",
    "Makefile": f"check:\n\t@grep -qx hello {GREETING}\n",
    "sums.txt": f"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  {GREETING}\n",
}
"""What the tests consist of beside the script."""

MODULES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")
RECIPE = "FROM debian:12\nWORKDIR /app\n"
WITH_PYTEST = "FROM debian:12\nCOPY pylib /opt/pylib\nENV PYTHONPATH=/opt/pylib\nWORKDIR /app\n"
"""An image with pytest in a folder that no package manager knows."""


def write_tasks(folder: Path) -> None:
    """Write a task for each verifier into *folder*."""
    for name, check in VERIFIERS.items():
        write_task(folder / name, check, has_pytest=name == "pytest")


def write_task(folder: Path, check: str, *, has_pytest: bool = False) -> None:
    """Write a task that is judged by the command *check*."""
    for part in ("environment", "tests", "solution"):
        (folder / part).mkdir(parents=True)
    (folder / "instruction.md").write_text(f'Write "hello" to {GREETING}.\n')
    (folder / "task.toml").write_text("[agent]\ntimeout_sec = 120\n[verifier]\ntimeout_sec = 60\n")
    (folder / "environment/Dockerfile").write_text(WITH_PYTEST if has_pytest else RECIPE)
    (folder / "solution/solve.sh").write_text(SOLUTION)
    (folder / "tests/test.sh").write_text(f"#!/bin/bash\n{check} && {END}\n")
    for name, text in FILES.items():
        (folder / "tests" / name).write_text(text)
    if has_pytest:
        _copy_pytest(folder / "environment/pylib")


def _copy_pytest(target: Path) -> None:
    for module in MODULES:
        found = importlib.util.find_spec(module)
        assert found is not None
        assert found.origin is not None
        source = Path(found.origin)
        if source.name == "__init__.py":
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source.parent, target / module, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy(source, target)
