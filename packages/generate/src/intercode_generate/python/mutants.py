"""Near misses of code: the code with one small change, as a programmer might slip."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Changes = Iterator[Callable[[], None]]
"""What can be done to a node, each in the tree itself."""

OPERATORS: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Mod),
    ast.Mod: (ast.FloorDiv, ast.Mult),
    ast.Pow: (ast.Mult,),
    ast.BitXor: (ast.BitOr, ast.BitAnd),
    ast.BitOr: (ast.BitXor, ast.BitAnd),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
}

COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.GtE, ast.LtE),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}

FUNCTIONS: Mapping[str, str] = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "ceil": "floor",
    "floor": "ceil",
    "nlargest": "nsmallest",
    "nsmallest": "nlargest",
    "upper": "lower",
    "lower": "upper",
    "find": "rfind",
    "startswith": "endswith",
    "endswith": "startswith",
    "search": "match",
    "match": "search",
    "intersection": "union",
    "union": "intersection",
    "isalpha": "isalnum",
    "isupper": "islower",
    "islower": "isupper",
}

TRANSPARENT = frozenset({"abs", "int", "list", "reversed", "round", "set", "sorted", "str", "tuple"})
"""Functions that somebody may forget to call."""

DROPPED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Break, ast.Continue, ast.Return)
"""Statements that somebody may forget."""


def mutants(code: str) -> tuple[str, ...]:
    """Return *code* with one change each; none twice, and none that is *code*.

    Raises:
        SyntaxError: For what is no Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of oddities such as invalid escapes
        tree = ast.parse(code)
    right = ast.unparse(tree)
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        before = dict(vars(node))
        for change in [*_expressions(node), *_statements(node)]:
            change()
            found[ast.unparse(ast.fix_missing_locations(tree))] = None
            vars(node).update(before)
    found.pop(right, None)
    return tuple(found)


def _set(node: ast.AST, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(node, name, value)


def _expressions(node: ast.AST) -> Changes:
    match node:
        case ast.BinOp() | ast.AugAssign():
            yield from (_set(node, "op", kind()) for kind in OPERATORS.get(type(node.op), ()))
        case ast.BoolOp():
            yield _set(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
            yield from (_set(node, "values", [each]) for each in node.values)
        case ast.Compare():
            for place, operator in enumerate(node.ops):
                for kind in COMPARISONS[type(operator)]:
                    yield _set(node, "ops", [*node.ops[:place], kind(), *node.ops[place + 1 :]])
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield _set(node, "op", ast.UAdd())
        case ast.Constant():
            yield from (_set(node, "value", value) for value in _constants(node.value))
        case ast.Call():
            yield from _calls(node)
        case ast.Slice(lower=ast.expr() as lower):
            yield _set(node, "lower", ast.BinOp(lower, ast.Add(), ast.Constant(1)))
        case ast.comprehension(ifs=[_, *_]):
            yield _set(node, "ifs", [])
        case ast.IfExp():
            yield _set(node, "test", ast.UnaryOp(ast.Not(), node.test))
        case _:
            pass


def _constants(value: object) -> Iterator[object]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1)
    elif isinstance(value, str) and value:
        yield from (value[1:], value[:-1])
        yield from (value.replace(one, other, 1) for one, other in ("+*", "*+", "az", "AZ", "09") if one in value)


def _calls(node: ast.Call) -> Changes:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in FUNCTIONS:
        key = "id" if isinstance(node.func, ast.Name) else "attr"
        other = type(node.func)(**{**vars(node.func), key: FUNCTIONS[name]})
        yield _set(node, "func", other)
    if name == "range" and node.args:
        place = 0 if len(node.args) == 1 else 1
        for operator in (ast.Add(), ast.Sub()):
            shifted = ast.BinOp(node.args[place], operator, ast.Constant(1))
            yield _set(node, "args", [*node.args[:place], shifted, *node.args[place + 1 :]])
    if name in TRANSPARENT and node.args and isinstance(node.func, ast.Name):

        def forget() -> None:  # a call cannot become its argument in place, so it becomes a call that does nothing
            node.func, node.args, node.keywords = _same(), node.args[:1], []

        yield forget


def _same() -> ast.expr:
    parsed = ast.parse("(lambda value: value)", mode="eval")
    return parsed.body


def _statements(node: ast.AST) -> Changes:
    if isinstance(node, ast.If):
        yield _set(node, "test", ast.UnaryOp(ast.Not(), node.test))
        yield _set(node, "test", ast.Constant(True))
        yield _set(node, "test", ast.Constant(False))
    for name in ("body", "orelse"):
        found = getattr(node, name, None)
        block: list[ast.stmt] = found if isinstance(found, list) else []
        for place, statement in enumerate(block):
            if isinstance(statement, DROPPED) and not _says_nothing(statement):
                yield _set(node, name, [*block[:place], ast.Pass(), *block[place + 1 :]])


def _says_nothing(statement: ast.stmt) -> bool:
    """Docstrings."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
