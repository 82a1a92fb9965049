"""Hidden tests cut in two: what is asked of the agent's code, and what must hold of its answers.

The first half runs where the agent's code is, the second where that never was. So no expected value is ever where the
agent's code could read it, and no `assert` where it could be patched: all that code can do is to answer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any

from intercode.errors import BadDataError
from intercode.types import Criteria, Task
from intercode.worlds.python.columns import check_columns

FIRST_FUNCTION = re.compile(r"def (\w+)\(")
"""How the published benchmark finds the name of a function: the first of them, a helper or a method it may be."""

FUNCTIONS = re.compile(r"^(?:async +)?def +(\w+)", re.MULTILINE)
"""The functions that a text defines for everybody."""

_LONG = 10_000
"""Bits of a whole number that Python still writes as decimal digits."""

_SAME = """\
def _same(value, wanted):
    def plain(each):
        if isinstance(each, (list, tuple)):
            return [plain(one) for one in each]
        return {str(key): plain(one) for key, one in each.items()} if isinstance(each, dict) else each
    return plain(value) == plain(wanted)
"""
"""Equal as JSON has it: it knows no tuples, and no keys but texts."""

ALIKE = """\
def _alike(value, wanted, any_order=False, close_numbers=False):
    from cmath import isclose
    def same(one, other):
        if close_numbers and (isinstance(one, (float, complex)) or isinstance(other, (float, complex))):
            try:
                return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
            except (TypeError, OverflowError):
                return False
        for kind in (list, tuple):
            if isinstance(one, kind) and isinstance(other, kind):
                return len(one) == len(other) and all(map(same, one, other))
        if isinstance(one, dict) and isinstance(other, dict):
            return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
        return one == other
    if any_order and isinstance(value, (list, tuple)) and type(value) is type(wanted):
        left = list(wanted)
        for each in value:
            place = next((place for place, other in enumerate(left) if same(each, other)), None)
            if place is None:
                return False
            del left[place]
        return not left
    return same(value, wanted)
"""
"""Equal but for what does not count: see `Criteria`."""

_USUAL = """\
import bisect, collections, fractions, functools, heapq, itertools, math, operator, random, re, string, sys, time
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from functools import lru_cache, reduce
from heapq import *
from itertools import accumulate, combinations, permutations, product
from math import ceil, cos, exp, fabs, floor, gcd, inf, log, log2, sin, sqrt, tan
from typing import *
"""
"""What code is used to find imported where APPS's problems that ask for a function come from.

It includes all that APPS's own evaluation (hendrycks/apps, eval/testing_util.py) puts before a solution, but numpy.
"""


@dataclass(frozen=True, slots=True)
class HiddenTest:
    """One test: a check on the values of calls, or a program's output.

    Attributes:
        calls: The expressions whose values are asked for.
        check: Must hold with these values as `_value_0`, `_value_1` and so on.
        given: What a program reads; None where functions are tested.
        expected: What the program must print.
    """

    calls: tuple[str, ...] = ()
    check: str = ""
    given: str | None = None
    expected: str = ""


@dataclass(frozen=True, slots=True)
class HiddenTests:
    """All tests of a task. `function` is the name that their calls use ("" where programs are asked for).

    `before` is run before the agent's code, `setup` after it, and `checking` where the checks are.
    """

    tests: tuple[HiddenTest, ...]
    function: str = ""
    before: str = ""
    setup: str = ""
    checking: str = ""

    @property
    def wants_program(self) -> bool:
        """Return whether a whole program is asked for, and not a function."""
        return not self.function


def has_tests(task: Task) -> bool:
    """Return whether *task* brings hidden tests at all, as `hidden_tests` reads them."""
    return "tests" in task.extra or {"inputs", "outputs"} <= task.extra.keys()


def hidden_tests(task: Task) -> HiddenTests:
    """Return the tests in *task*'s extra columns.

    `tests`, assertions all, or `inputs` and `outputs` (perhaps `fn_name`).

    Raises:
        BadDataError: For a task that has none, or one that asserts nothing about the function.
    """
    extra = task.extra
    check_columns(task)
    if "tests" in extra:
        setup = str(extra.get("test_setup_code") or "")
        return _assertions(task.id, task.gold or "", tuple(extra["tests"]), setup, task.criteria)
    return _calls(extra) if extra.get("fn_name") else _programs(extra)


@lru_cache(maxsize=256)
def _assertions(task: str, gold: str, tests: tuple[str, ...], setup: str, criteria: Criteria) -> HiddenTests:
    try:
        trees = [ast.parse(test.strip()) for test in tests]
        function = _function(gold, trees)
    except (SyntaxError, ValueError) as error:
        raise BadDataError(f"{task} has tests that are not Python: {error}") from error
    lenient = tuple(name for name in ("any_order", "close_numbers") if name in criteria.names)
    cut = tuple(_split_test(task, test, tree, function, lenient) for test, tree in zip(tests, trees, strict=True))
    return HiddenTests(cut, function, setup=setup, checking=f"{setup}\n{ALIKE}" if lenient else setup)


def _function(gold: str, trees: Sequence[ast.Module]) -> str:
    """Return the function that the tests are about: of those that the gold defines, the one that most of them call."""
    defined = set(FUNCTIONS.findall(gold))  # reading it as Python would warn of its oddities
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = [call.func.id for call in calls if isinstance(call.func, ast.Name)]
    known = [name for name in called if name in defined] or called
    if not known:
        raise ValueError("no function is called in them")
    return max(dict.fromkeys(known), key=known.count)


class _Cutter(ast.NodeTransformer):
    """Puts a name in the place of each call of the function, and a lenient comparison in the place of `==`."""

    def __init__(self, function: str, lenient: Sequence[str]) -> None:
        self.function, self.lenient = function, lenient
        self.calls: list[str] = []
        self.bound: set[str] = set()
        self.lost: set[str] = set()
        """Names in calls that only the test around them knows."""

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Looked into."""
        self.generic_visit(node)
        if not self.lenient or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq):
            return node
        ways = [ast.keyword(name, ast.Constant(True)) for name in self.lenient]
        return ast.Call(ast.Name("_alike", ast.Load()), [node.left, *node.comparators], ways)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Take a call of the function out, and look into others."""
        if isinstance(node.func, ast.Name) and node.func.id == self.function:
            self.calls.append(ast.unparse(node))
            self.lost |= self.bound & _names(node, ast.Load) - _bound_names(node)
            return ast.copy_location(ast.Name(f"_value_{len(self.calls) - 1}", ast.Load()), node)
        self.generic_visit(node)
        return node

    def _visit_scope(self, node: ast.expr) -> ast.expr:
        """Return what binds names of its own is looked into with these in mind."""
        before, self.bound = self.bound, self.bound | _bound_names(node)
        self.generic_visit(node)
        self.bound = before
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda = _visit_scope


def _names(node: ast.AST, kind: type[ast.expr_context]) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, kind)}


def _bound_names(node: ast.AST) -> set[str]:
    """Return the names of loops and parameters in *node*."""
    return _names(node, ast.Store) | {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}


def _split_test(task: str, test: str, tree: ast.Module, function: str, lenient: Sequence[str]) -> HiddenTest:
    cutter = _Cutter(function, lenient)
    check = ast.unparse(cutter.visit(tree))
    if not cutter.calls or not all(isinstance(statement, ast.Assert) for statement in tree.body):
        raise BadDataError(f"{task} has a test that is not an assertion about {function}: {test}")
    if any(isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Tuple) for statement in tree.body):
        raise BadDataError(
            f"{task} has a test that holds whatever {function} returns, since a tuple is true: {test}. Write the "
            "message behind the brackets: assert CONDITION, MESSAGE"
        )
    if cutter.lost:
        names = ", ".join(sorted(cutter.lost))
        raise BadDataError(
            f"{task} has a test that calls {function} with what only the test knows ({names}): {test}. Calls are run "
            "where no test is; write one assertion for each call"
        )
    return HiddenTest(tuple(cutter.calls), check)


def _calls(extra: Mapping[str, Any]) -> HiddenTests:
    """APPS's problems that ask for a function, alone or in a class `Solution`."""
    function = str(extra["fn_name"])
    tests = tuple(
        HiddenTest((_call(function, given),), _equals(expected))
        for given, expected in zip(_arguments(extra["inputs"]), extra["outputs"], strict=True)
    )
    return HiddenTests(tests, function, before=_USUAL, checking=_SAME)


def _call(function: str, given: Sequence[Any]) -> str:
    arguments = ", ".join(map(_literal, given))
    return f"(Solution().{function} if 'Solution' in globals() else {function})({arguments})"


def _literal(value: Any) -> str:
    """JSON as Python writes it; numbers too long to be written so are hexadecimal."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, int) and value.bit_length() > _LONG:
        return hex(value)
    return f"float({str(value)!r})" if isinstance(value, float) and not isfinite(value) else repr(value)


def _equals(expected: Any) -> str:
    """Return the assertion that a value is *expected*, which some data sets wrap in a list once more."""
    found = [f"_same(_value_0, {_literal(expected)})"]
    if isinstance(expected, list) and expected:
        found.append(f"_same(_value_0, {_literal(expected[0])})")
    return f"assert {' or '.join(found)}"


def _arguments(inputs: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield the arguments of each call. JSON made texts of keys that were numbers."""
    for given in inputs:
        yield [_with_numbers(each) for each in given] if isinstance(given, list) else [given]


def _with_numbers(value: Any) -> Any:
    if isinstance(value, dict) and value and all(key.lstrip("-").isdecimal() for key in value):
        return {int(key): each for key, each in value.items()}
    return value


def _programs(extra: Mapping[str, Any]) -> HiddenTests:
    pairs = zip(extra["inputs"], extra["outputs"], strict=True)
    return HiddenTests(tuple(HiddenTest(given=_lines(given), expected=_lines(expected)) for given, expected in pairs))


def _lines(value: str | list[Any]) -> str:
    """Return an input or output as text: some are lists of lines."""
    return value if isinstance(value, str) else "\n".join(map(str, value))


def prints_the_same(printed: str, expected: str) -> bool:
    """Return whether a program's output is the expected one.

    Line by line, words or numbers equal, blanks and ends aside.
    """
    mine, theirs = _words(printed), _words(expected)
    return len(mine) == len(theirs) and all(
        len(line) == len(other) and all(map(_same_word, line, other)) for line, other in zip(mine, theirs, strict=True)
    )


def _words(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def _same_word(word: str, other: str) -> bool:
    """Equal, or both decimal fractions and equal but for rounding."""
    if word == other:
        return True
    if "." not in other and "e" not in other.lower():
        return False
    try:
        mine, theirs = float(word), float(other)
    except ValueError:
        return False
    return abs(mine - theirs) <= 1e-6 * max(1.0, abs(theirs))
