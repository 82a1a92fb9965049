"""How a fix is examined: which tests, run how, and what of a repository is not the agent's to change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import ClassVar, Literal

from intercode.datasets.repositories.patch_text import changed_paths
from intercode.types import Task

ROOT = "/testbed"
"""Where a task's repository stands; SWE-bench has it there."""

Runner = Literal["pytest", "unittest"]

_STEERING = frozenset(
    {
        *("conftest.py", "sitecustomize.py", "usercustomize.py", ".coveragerc"),
        *("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml"),
    }
)
"""Files that say how tests are run, or run before them."""

_TEST_FOLDERS = frozenset({"test", "tests"})
_TEST_FILE = re.compile(r"(test_.*|.*_test|tests)\.py$")
_NEVER = re.compile(r"(^|/)(\.git|__pycache__|[^/]+\.(egg|dist)-info)(/|$)|\.(pyc|pyo|pth)$", re.IGNORECASE)
"""No part of a fix: git's own, what Python compiled, and what tells Python of installed programs."""

_DOTTED = re.compile(r"(?P<method>\S+) \((?P<owner>[\w.]+)\)$")


@dataclass(frozen=True, slots=True)
class TestSuite:
    """How the tests of a repository are run.

    *runner* is pytest, or unittest; with *script*, a program of the project's own that runs tests with unittest
    (Django's `tests/runtests.py`). *python* is the program in the image, *arguments* go before the names of tests,
    *path* holds folders of the repository to import from, *seconds* is the time for all tests together. *controls* adds
    tests that must fail (but to a *script*), and runs them once more, broken on purpose, where a fix makes some pass:
    see `worlds/swe/inside/run_tests.py`.
    """

    __test__: ClassVar[bool] = False  # pytest takes it for a class of tests otherwise

    runner: Runner = "pytest"
    python: str = "python3"
    script: str = ""
    arguments: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    seconds: float = 600.0
    controls: bool = True


@dataclass(frozen=True)
class TestSpec:
    """What judges a task's fix; `of` reads it from a task's `extra`. Nothing of it is ever in the agent's sandbox.

    `fail_to_pass` are the tests that the fix has to make pass, `pass_to_pass` those that must go on passing. `patch` is
    the gold, whose files are never taken for tests.
    """

    __test__: ClassVar[bool] = False

    patch: str
    test_patch: str
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    suite: TestSuite

    @classmethod
    def of(cls, task: Task) -> TestSpec:
        """Return the exam of *task*, which must come from a data set of this world."""
        extra = task.extra
        tests = (tuple(extra["FAIL_TO_PASS"]), tuple(extra["PASS_TO_PASS"]))
        return cls(extra["patch"], extra["test_patch"], *tests, extra["suite"])

    @property
    def names(self) -> tuple[str, ...]:
        """All tests that count."""
        return (*self.fail_to_pass, *self.pass_to_pass)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files of Python that hold the tests, as far as names tell: those of the tests, or of the test patch."""
        files = [name.partition("::")[0] for name in self.names if "::" in name]
        if any("::" not in name for name in self.names):
            files += sorted(path for path in self._paths_of_tests if _TEST_FILE.match(path.rpartition("/")[2]))
        return tuple(dict.fromkeys(files))

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """Return what the runner is told to run: files, or dotted names."""
        if self.suite.runner == "pytest":
            return self.files
        if self.suite.script and self._paths_of_tests:
            folder = PurePosixPath(self.suite.script).parent
            return tuple(sorted(_module(path, folder) for path in self._paths_of_tests if path.endswith(".py")))
        dotted = list(map(_dotted_name, self.names))
        if "" in dotted:  # one that is only described is found by running whole files
            dotted = [*(name.rsplit(".", 2)[0] for name in dotted if name), *map(_module, self.files)]
        return tuple(dict.fromkeys(dotted))

    @cached_property
    def candidate_files(self) -> tuple[str, ...]:
        """All files that the tests may be in, some of which do not exist."""
        return tuple(sorted(self._candidate_paths))

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """Return what the tests to be mended may be called in their files.

        Names of functions, or what describes them.
        """
        return tuple(sorted({_function(name) for name in self.fail_to_pass}))

    def keeps(self, path: str) -> bool:
        """Return whether *path*, from the repository's root, is the exam's: what the agent did to it does not count.

        So are tests, what steers them, git's own files and compiled ones. What the gold itself changes is the agent's,
        unless the hidden tests bring it.
        """
        if _NEVER.search(path) or path in self._paths_of_tests or path == self.suite.script:
            return True
        return not self.is_of_gold(path) and (path in self._candidate_paths or _steers(path))

    def is_of_gold(self, path: str) -> bool:
        """Return whether the gold changes *path*: then it is part of a fix, even where git ignores it."""
        return path in self._paths_of_gold

    @cached_property
    def _candidate_paths(self) -> frozenset[str]:
        """The files that the tests may be in: named, or on the way of a dotted name."""
        folders = ["", *(f"{path}/" for path in self.suite.path), f"{PurePosixPath(self.suite.script).parent}/"]
        ways = [_dotted_name(name).split(".") for name in self.names]
        modules = ["/".join(way[:depth]) for way in ways for depth in range(1, len(way))]
        return frozenset([*self.files, *(f"{folder}{module}.py" for folder in folders for module in modules)])

    @cached_property
    def _paths_of_tests(self) -> frozenset[str]:
        return changed_paths(self.test_patch)

    @cached_property
    def _paths_of_gold(self) -> frozenset[str]:
        return changed_paths(self.patch)


def gold_command(patch: str) -> str:
    """Return a command for a shell in the repository that applies *patch*."""
    end = "PATCH"
    while end in patch:
        end += "_"
    line_break = "" if patch.endswith("\n") else "\n"
    return f"git apply --whitespace=nowarn <<'{end}'\n{patch}{line_break}{end}"


def is_test_file(path: str) -> bool:
    """Return whether *path* is a test, or lies among tests, as far as its name tells."""
    *folders, name = path.split("/")
    return bool(_TEST_FOLDERS & set(folders)) or _TEST_FILE.match(name) is not None


def _steers(path: str) -> bool:
    return path.rpartition("/")[2] in _STEERING or is_test_file(path)


def _dotted_name(name: str) -> str:
    """Return the dotted name of a test of unittest, however it is written; "" for one that is only described."""
    if "::" in name:
        file, _, inside = name.partition("::")
        return f"{_module(file)}.{inside.replace('::', '.')}"
    if match := _DOTTED.match(name):
        owner = match["owner"].removesuffix(f".{match['method']}")
        return f"{owner}.{match['method']}"
    return name if re.fullmatch(r"[\w.]+", name) and "." in name else ""


def _function(name: str) -> str:
    """Return the function that a test is, as far as its name tells; the whole name where it is only described."""
    bare = name.partition("[")[0]
    if match := _DOTTED.match(bare):
        return match["method"]
    return bare.rpartition("::")[2] if "::" in bare else bare.rpartition(".")[2] if _dotted_name(bare) else bare


def _module(path: str, folder: PurePosixPath | None = None) -> str:
    """Return what a file is called when it is imported from *folder* (None: the root)."""
    place = PurePosixPath(path).with_suffix("")
    if folder is not None and place.is_relative_to(folder):
        place = place.relative_to(folder)
    return ".".join(place.parts)
