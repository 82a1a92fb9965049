"""What is known of an attempt at a Python task before it is played: what it hands in, and that it fails a test.

Three kinds of code are known not to pass: such as defines nothing, functions that return one value whatever they get
where two tests want different ones, and functions that only raise where a test wants a value. Whatever else code may
do, it has to be played.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from intercode.envs.python.test_judge import Submission
from intercode.rewards.python.hidden_tests import HiddenTests


@dataclass(frozen=True, slots=True)
class PythonForesight:
    """Knows what the hidden tests of a task call, and two values that they want.

    Attributes:
        function: The name that the tests call.
        wants_value: Whether a test wants a value that is written out in it.
        wants_several: Whether two of the tests want different values of the function.
        is_plain: Whether the tests bring no code of their own.
        idle_fails: Whether code that defines nothing is known to fail.
    """

    function: str
    wants_value: bool
    wants_several: bool
    is_plain: bool = True
    idle_fails: bool = True

    @classmethod
    def of(cls, tests: HiddenTests, *, idle_fails: bool = False) -> PythonForesight:
        """That of a task with these *tests*, whose criteria ask for no lenient comparison.

        *idle_fails*: whether code that defines nothing was seen to fail, which is to be known where they bring code.
        """
        wanted = [value for test in tests.tests for value in _wanted(test.check)]
        is_plain = not (tests.setup or tests.before)
        known = is_plain or (idle_fails and not tests.before and _defines_only(tests.setup, tests.function))
        return cls(tests.function, bool(wanted), any(each != wanted[0] for each in wanted), is_plain, known)

    def rules_out(self, submission: Submission, idle: Container[str] = ()) -> bool:
        """Whether *submission* fails at least one of the tests, without a doubt.

        *idle*: actions that are known to define nothing which can be called.
        """
        if submission.program or not self.idle_fails or hasattr(builtins, self.function):
            return False
        name = submission.name
        if name and name != self.function and (_is_known(name) or not name.isidentifier()):
            return False
        texts = [text for text, _ in submission.script if not (self.is_plain and text in idle)]
        work = [statement for text in texts for statement in _parsed(text) if not _is_idle(statement)]
        if not work:
            return True
        return self.is_plain and len(work) == 1 and self._fails(work[0])

    def _fails(self, statement: ast.stmt) -> bool:
        """Whether *statement* defines the function that is wanted, such as fails a test."""
        if not _is_function(statement, self.function):
            return False
        if _only_raises(statement):
            return self.wants_value
        return self.wants_several and len(_returned(statement)) == 1


def _parsed(text: str) -> Sequence[ast.stmt]:
    """The statements of *text*; none where it is no Python, and so does nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _defines_only(setup: str, function: str) -> bool:
    """Whether *setup* does nothing but define functions, *function* among them, which a submission cannot be then."""
    found = _parsed(setup)
    names = [each.name for each in found if isinstance(each, ast.FunctionDef) and not each.decorator_list]
    return len(names) == len(found) and function in names


def _is_known(name: str) -> bool:
    """Whether an interpreter may know a function *name* where none was defined: `_` is the last value shown."""
    return callable(getattr(builtins, name, None)) or name.startswith("_")


def _is_idle(statement: ast.stmt) -> bool:
    """Whether *statement* is `pass`, a value of names and plain values, or prints plain values: it changes nothing."""
    if isinstance(statement, ast.Pass):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    call = statement.value
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.keywords:
        if call.func.id == "print":
            return all(map(_is_plain, call.args))
        return _is_plain(call) or (not hasattr(builtins, call.func.id) and all(map(_is_still, call.args)))
    return _is_still(call)


STILL = (ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp, ast.Attribute)
"""What has a value without a call of what was defined before."""


def _is_still(value: ast.expr) -> bool:
    """Whether *value* is made of names and written values alone."""
    parts = [node for node in ast.walk(value) if isinstance(node, ast.expr)]
    return all(isinstance(node, STILL) for node in parts)


def _is_plain(value: ast.expr | None) -> TypeGuard[ast.expr]:
    """Whether *value* is written out, or a float that has no other way to be written."""
    if value is None or _values(value):
        return value is not None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or value.func.id != "float":
        return False
    return len(value.args) == 1 and not value.keywords and _is_plain(value.args[0])


def _is_function(statement: ast.stmt, name: str) -> bool:
    """Whether *statement* defines the function *name*, which takes anything, and does nothing but that."""
    if not isinstance(statement, ast.FunctionDef) or statement.name != name or statement.decorator_list:
        return False
    takes = statement.args
    return not (takes.args or takes.posonlyargs or takes.kwonlyargs or statement.returns or name in ("print", "float"))


def _only_raises(function: ast.stmt) -> bool:
    """Whether a *function* imports, and then raises."""
    assert isinstance(function, ast.FunctionDef)
    *before, last = function.body
    return isinstance(last, ast.Raise) and all(isinstance(each, ast.Import) for each in before)


def _returned(function: ast.stmt) -> set[str]:
    """The values that a *function* may return, as they are written; none where more happens in it than that."""
    assert isinstance(function, ast.FunctionDef)
    found: set[str] = set()
    for statement in function.body:
        match statement:
            case ast.For(target=ast.Name(), iter=ast.Name(), body=[inner], orelse=[]):
                statement = inner
        value = (statement.value or ast.Constant(None)) if isinstance(statement, ast.Return) else None
        if _is_plain(value):
            found.add(ast.unparse(value))
        elif not _is_idle(statement):
            return set()
    return found if isinstance(function.body[-1], ast.Return) else {*found, "None"}


def _wanted(check: str) -> Iterable[Any]:
    """The value in *check*, where that says `assert _value_0 == VALUE` and nothing else."""
    match ast.parse(check).body:
        case [ast.Assert(test=ast.Compare(left=ast.Name(id="_value_0"), ops=[ast.Eq()], comparators=[value]))]:
            return _values(value)
    return ()


def is_equality(check: str) -> bool:
    """Whether *check* says that a value is one that is written out, and nothing else."""
    return bool(_wanted(check))


def _values(value: ast.expr) -> Sequence[Any]:
    """The value that is written out in *value*; empty where none is."""
    try:
        return (ast.literal_eval(value),)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()
