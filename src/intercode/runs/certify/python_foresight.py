"""What is known of an attempt at a Python task before it is played: what it hands in, and that it passes no test.

Two kinds of code are known not to pass: such as defines nothing, and functions that return one value whatever they get
where two tests want different ones. Whatever else code may do, it has to be played.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from intercode.envs.python.test_judge import Submission
from intercode.rewards.python.hidden_tests import HiddenTests


@dataclass(frozen=True)
class PythonForesight:
    """Knows what the hidden tests of a task call, and two values that they want."""

    function: str
    setup: str
    wants_several: bool
    """Whether two of the tests want different values of the function."""

    @classmethod
    def of(cls, tests: HiddenTests) -> PythonForesight:
        """That of a task with these *tests*, whose criteria ask for no lenient comparison."""
        wanted = [value for test in tests.tests for value in _wanted(test.check)]
        return cls(tests.function, tests.setup, any(each != wanted[0] for each in wanted))

    def rules_out(self, submission: Submission) -> bool:
        """Whether *submission* fails at least one of the tests, without a doubt."""
        if self.setup or hasattr(builtins, self.function):
            return False
        name = submission.name
        if name and name != self.function and (_is_known(name) or not name.isidentifier()):
            return False
        read = [statement for text, _ in submission.script for statement in _parsed(text)]
        work = [statement for statement in read if not _is_idle(statement)]
        if not work:
            return True
        return self.wants_several and len(work) == 1 and _is_constant_function(work[0], self.function)


def _parsed(text: str) -> Sequence[ast.stmt]:
    """The statements of *text*; none where it is no Python, and so does nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _is_known(name: str) -> bool:
    """Whether an interpreter may know *name* where nothing has been defined: `_` is the last value shown."""
    return hasattr(builtins, name) or name.startswith("_")


def _is_idle(statement: ast.stmt) -> bool:
    """Whether *statement* is `pass`, a plain value, or prints plain values, and so changes nothing."""
    if isinstance(statement, ast.Pass):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    call = statement.value
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print":
        return not call.keywords and all(map(_is_plain, call.args))
    return _is_plain(call)


def _is_plain(value: ast.expr | None) -> bool:
    """Whether *value* is written out, or a float that has no other way to be written."""
    if isinstance(value, ast.Call):
        named = isinstance(value.func, ast.Name) and value.func.id == "float"
        return named and len(value.args) == 1 and not value.keywords and _is_plain(value.args[0])
    return value is not None and bool(_values(value))


def _is_constant_function(statement: ast.stmt, name: str) -> bool:
    """Whether *statement* defines the function *name*, which returns one plain value of any arguments."""
    if not isinstance(statement, ast.FunctionDef) or statement.name != name or statement.decorator_list:
        return False
    takes = statement.args
    if takes.args or takes.posonlyargs or takes.kwonlyargs or statement.returns or name in ("print", "float"):
        return False
    *before, last = statement.body
    return isinstance(last, ast.Return) and _is_plain(last.value) and all(map(_is_idle, before))


def _wanted(check: str) -> Iterable[Any]:
    """The value in *check*, where that says `assert _value_0 == VALUE` and nothing else."""
    match ast.parse(check).body:
        case [ast.Assert(test=ast.Compare(left=ast.Name(id="_value_0"), ops=[ast.Eq()], comparators=[value]))]:
            return _values(value)
    return ()


def _values(value: ast.expr) -> Sequence[Any]:
    """The value that is written out in *value*; empty where none is."""
    try:
        return (ast.literal_eval(value),)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()
