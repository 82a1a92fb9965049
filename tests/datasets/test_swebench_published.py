"""SWE-bench's records with every published field, the odd names of tests that real ones have, and mirrors of `git`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet
from swe_material import git

from intercode.datasets.swebench import SwebenchDataset
from intercode.types import Score
from intercode.worlds.swe import SweEnv
from intercode_sandbox.sandbox import Sandbox

RUNTESTS = """\
import argparse, os, sys, unittest

parser = argparse.ArgumentParser()
parser.add_argument("--settings", required=True)
parser.add_argument("--parallel", type=int, required=True)
parser.add_argument("modules", nargs="*")
options = parser.parse_args()
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
suite = unittest.defaultTestLoader.loadTestsFromNames(options.modules)
sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
"""
FORMS = "def bound(data):\n    return bool(data)\n\n\ndef label(name):\n    return name.title()\n"
FORMS_TESTS = '''\
import unittest

from django.forms import bound, label


class FormsTest(unittest.TestCase):
    def test_label(self):
        self.assertEqual(label("name"), "Name")

    def test_empty(self):
        """A form without data (None) is not bound."""
        self.assertIs(bound(None), False)
'''
MORE_FORMS_TESTS = '''
    def test_bound(self):
        self.assertIs(bound({}), True)

    def test_bound_with_files(self):
        """An empty form that was sent
        is bound."""
        self.assertIs(bound({}), True)
'''
DJANGO = {
    "tests/runtests.py": RUNTESTS,
    "tests/forms_tests/__init__.py": "",
    "tests/forms_tests/tests/__init__.py": "",
    "tests/forms_tests/tests/test_forms.py": FORMS_TESTS,
    "django/__init__.py": "",
    "django/forms.py": FORMS,
}

UNITS = 'def size(text):\n    number, unit = text.split(" ")\n    return int(number) * {"B": 1, "kB": 1000}[unit]\n'
UNITS_TESTS = """\
import pytest

from units import size


class TestSize:
    @pytest.mark.parametrize("text, wanted", [("1 B", 1), ("3 kB", 3000)])
    def test_size(self, text, wanted):
        assert size(text) == wanted
"""
MORE_UNITS_TESTS = """
    @pytest.mark.parametrize("text", ["2 MB", "2  MB", "[2] MB", "2 MB::x"], ids=["a", "two  blanks", "[b]", "c::d"])
    def test_large(self, text):
        assert size(text.strip("[]:x").replace("]", "")) == 2_000_000
"""


def repository(folder: Path, files: dict[str, str], changed: dict[str, str], mirror: Path) -> dict[str, Any]:
    """Commit *files*, and then *changed*; make a mirror as `git` does, and the parts of a record about it."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commits = []
    for message, tree in (("Begin", files), ("Mend", changed)):
        for name, content in tree.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", message)
        commits.append(git(folder, "rev-parse", "HEAD"))
    tests = [name for name in changed if "test" in name]
    code = [name for name in changed if "test" not in name]
    subprocess.run(["git", "clone", "-q", "--mirror", str(folder), str(mirror)], check=True)
    return {
        "base_commit": commits[0],
        "patch": git(folder, "diff", *commits, "--", *code) + "\n",
        "test_patch": git(folder, "diff", *commits, "--", *tests) + "\n",
        "environment_setup_commit": commits[0],
    }


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """A folder of mirrors, and records with the fields that SWE-bench Verified has, in its order."""
    folder = tmp_path_factory.mktemp("published")
    mirrors = folder / "mirrors"
    mirrors.mkdir()
    forms = "tests/forms_tests/tests/test_forms.py"
    django = {"django/forms.py": FORMS.replace("bool(data)", "data is not None"), forms: FORMS_TESTS + MORE_FORMS_TESTS}
    units = {"units.py": UNITS.replace('split(" ")', "split()").replace("1000}", '1000, "MB": 10**6}')}
    units["test_units.py"] = UNITS_TESTS + MORE_UNITS_TESTS
    first = repository(folder / "one", DJANGO, django, mirrors / "django__django.git")
    first |= {
        "FAIL_TO_PASS": [
            "test_bound (forms_tests.tests.test_forms.FormsTest)",
            "An empty form that was sent",
        ],
        "PASS_TO_PASS": [
            "A form without data (None) is not bound.",
            "test_label (forms_tests.tests.test_forms.FormsTest.test_label)",
        ],
    }
    (mirrors / "demo").mkdir()
    trees = {"units.py": UNITS, "test_units.py": UNITS_TESTS}
    second = repository(folder / "two", trees, units, mirrors / "demo" / "units")
    second |= {
        "FAIL_TO_PASS": [
            "test_units.py::TestSize::test_large[a]",
            "test_units.py::TestSize::test_large[two",  # cut at a blank, as SWE-bench's own parsers do
            "test_units.py::TestSize::test_large[[b]]",
            "test_units.py::TestSize::test_large[c::d]",
        ],
        "PASS_TO_PASS": ["test_units.py::TestSize::test_size[1", "test_units.py::TestSize::test_size[3 kB-3000]"],
    }
    records = []
    for repo, parts in (("django/django", first), ("demo/units", second)):
        name = repo.replace("/", "__")
        records.append(
            {
                "repo": repo,
                "instance_id": f"{name}-10097",
                "base_commit": parts["base_commit"],
                "patch": parts["patch"],
                "test_patch": parts["test_patch"],
                "problem_statement": "It is not as it should be.\r\n\r\nSee `above`.",
                "hints_text": "",
                "created_at": "2018-06-26T23:30:51Z",
                "version": "2.2",
                "FAIL_TO_PASS": json.dumps(parts["FAIL_TO_PASS"]),
                "PASS_TO_PASS": json.dumps(parts["PASS_TO_PASS"]),
                "environment_setup_commit": parts["environment_setup_commit"],
                "difficulty": "<15 min fix",
            }
        )
    return mirrors, records


def dataset(folder: Path, published: tuple[Path, list[dict[str, Any]]], ending: str) -> SwebenchDataset:
    mirrors, records = published
    file = folder / f"test-00000-of-00001.{ending}"
    if ending == "parquet":
        parquet.write_table(pyarrow.Table.from_pylist(records), file)
    else:
        file.write_text(json.dumps(records) if ending == "json" else "\n".join(map(json.dumps, records)))
    (folder / "environments.toml").write_text('["demo/units"]\npytest = true\nseconds = 60\n')
    return SwebenchDataset(file=file, repositories=mirrors, environments=folder / "environments.toml")


def scored(env: SweEnv, *actions: str) -> dict[str, Score]:
    for action in actions:
        env.step(action)
    return dict(env.step("submit")[4]["scores"])


@pytest.mark.parametrize("ending", ["json", "jsonl", "parquet"])
def test_all_fields_are_read(tmp_path: Path, published: tuple[Path, list[dict[str, Any]]], ending: str) -> None:
    django, units = dataset(tmp_path, published, ending)
    assert [django.id, units.id] == ["swebench/django__django-10097", "swebench/demo__units-10097"]
    assert (django.category, django.difficulty, django.extra["version"]) == ("django/django", "<15 min fix", "2.2")
    assert django.extra["suite"].script == "tests/runtests.py"
    assert units.extra["FAIL_TO_PASS"][2] == "test_units.py::TestSize::test_large[[b]]"


@pytest.mark.parametrize("number", [0, 1])
def test_golds_score_one_under_every_name_that_tests_have(
    tmp_path: Path, published: tuple[Path, list[dict[str, Any]]], sandbox: Sandbox, number: int
) -> None:
    """Methods of classes, descriptions, parameters with blanks, brackets and colons. A remark mends nothing."""
    with SweEnv(dataset(tmp_path, published, "parquet"), sandbox=sandbox, image="host") as env:
        env.start_episode(env.dataset[number])
        right = scored(env, env.task.gold or "")
        assert [(score.value, score.notes) for score in right.values()] == [(1, ()), (1, ())]
        env.start_episode(env.dataset[number])
        wrong = scored(env, "echo '# a remark' >> django/forms.py; echo '# a remark' >> units.py")
        assert [score.value for score in wrong.values()] == [0, 0]
        assert wrong["exact"].parts["pass_to_pass"] == 1


def test_half_a_fix_mends_half(tmp_path: Path, published: tuple[Path, list[dict[str, Any]]], sandbox: Sandbox) -> None:
    with SweEnv(dataset(tmp_path, published, "jsonl"), sandbox=sandbox, image="host") as env:
        env.start_episode(env.dataset[1])
        scores = scored(env, "sed -i 's/1000}/1000, \"MB\": 10**6}/' units.py")
        assert (scores["paper"].value, scores["exact"].value) == (0, 0.75)
        assert "test_large[two (failed)" in scores["exact"].notes[0]
