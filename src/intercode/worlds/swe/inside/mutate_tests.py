"""Breaks tests on purpose, inside the fresh session: code that makes tests pass makes these pass, too, which shows it.

Handed to the image's own Python as text, as `run_tests.py` is, under the same rules. Files, names and number of tests
stay as they are. Each test that the fix should make pass expects another value than before, of the same type, where it
or a helper of its file first compares for sure: code that reads in its caller's source, bytecode or variables what is
expected reads that one, and passes. A value that is not told becomes an object that equals nothing; a test that
compares nothing raises an error as the first thing it does.

Only one comparison is changed: that one is enough for a right fix to fail, and code that cheats in some of a test's
comparisons and fails in none of the others is found out, too.
"""

import ast
import os
import string
from itertools import chain, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeGuard

    Span = tuple[tuple[int, int], tuple[int, int]]
    Edit = tuple[tuple[int, int], tuple[int, int], bytes]
    Variables = dict[str, Any]
    Function = ast.FunctionDef | ast.AsyncFunctionDef

BROKEN = b"raise AssertionError"
UNEQUAL = b"object()"
IDENTICAL = (b"True", b"False")
ANOTHER = """{0} = (
    not {0} if type({0}) is bool else {0} + 1 if type({0}) in (int, float) else {0} + "x" if type({0}) is str
    else type({0})([*{0}, 0]) if type({0}) in (list, tuple) else object())"""
"""Gives a parameter another value of its type."""

KINDS = ("", "Almost", "List", "Tuple", "Set", "Dict", "Sequence", "MultiLine", "Count")
COMPARING = ("assertIs", "assertEquals", *("assert" + kind + "Equal" for kind in KINDS))
SWALLOWING = ("raises", "suppress")
"""What contexts are called that swallow errors: what stands in them after one is not run."""


def mutate_tests(paths: "Iterable[str]", names: "Iterable[str]") -> "None":
    """Break the tests called *names* (functions, or the first lines of what describes them) in the files at *paths*."""
    selected = set(names)
    for path in sorted(set(map(os.path.realpath, paths))):  # broken twice, a test may be whole again
        try:
            with open(path, "rb") as file:
                text = file.read()
            mutated = mutate(text, selected)
        except (OSError, SyntaxError, ValueError):
            continue  # it is no file of this Python's, and holds no test that could be run
        with open(path, "wb") as file:
            file.write(mutated)


def mutate(text: "bytes", selected: "set[str]") -> "bytes":
    """Return *text* with each wanted test broken."""
    lines = text.split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for begin, end, new in sorted(edits(ast.parse(text), selected), reverse=True):
        before = lines[begin[0] - 1][: begin[1]]
        if begin == end:
            new += b"; " if before.strip() else b"\n" + before
        text = text[: starts[begin[0] - 1] + begin[1]] + new + text[starts[end[0] - 1] + end[1] :]
    return text


def edits(tree: "ast.AST", selected: "set[str]") -> "Iterator[Edit]":
    """Return what to put where for the wanted tests: from a line and byte to a line and byte."""
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    found = set()  # type: set[Edit]
    for test in functions:
        if is_selected(test, selected):
            places = (place for each in called_functions(test, functions) for place in comparisons_in(each))
            found.update(islice(chain(places, insert_first(test, BROKEN)), 1))
    yield from found


def called_functions(test: "Function", functions: "list[Function]") -> "list[Function]":
    """Return *test*, and the functions beside the tests that it calls for sure, or those that they call."""
    found = [test]
    for function in found:
        for statement in certain_statements(function.body, function):
            call = getattr(statement, "value", None)
            name = name_of(call.func) if isinstance(call, ast.Call) else ""
            found += [each for each in functions if each.name == name and each not in found]
    return found


def certain_statements(body: "list[ast.stmt]", function: "Function") -> "Iterator[ast.stmt]":
    """Return the statements of *body* that are run for sure where none raises an error."""
    for statement in body:
        yield statement
        is_block = isinstance(statement, (ast.With, ast.AsyncWith)) and not swallows(statement)
        if is_block or (isinstance(statement, ast.For) and is_nonempty_literal(statement.iter, function)):
            yield from certain_statements(getattr(statement, "body", []), function)


def swallows(block: "ast.With | ast.AsyncWith") -> "bool":
    """Return whether a block goes on behind it after an error in it."""
    calls = [item.context_expr for item in block.items if isinstance(item.context_expr, ast.Call)]
    return any(word in name_of(call.func).lower() for call in calls for word in SWALLOWING)


def is_nonempty_literal(iterated: "ast.expr", function: "Function") -> "bool":
    """Return whether something written out is iterated over: not what is tested, which may be empty."""
    is_variable = iterated.id in literal_variables(function) if isinstance(iterated, ast.Name) else False
    return is_variable or bool(getattr(iterated, "elts", ()))


def comparisons_in(function: "Function") -> "Iterator[Edit]":
    """Return what to put in the places of what *function* expects."""
    variables = literal_variables(function)
    for statement in certain_statements(function.body, function):
        sides = compared_values(statement)
        if len(sides) == 2 and not any(isinstance(side, ast.Starred) for side in sides):
            expected = max(sides[1], sides[0], key=lambda side: expectation_rank(side, variables))
            if is_parameter(expected, function):
                yield from insert_first(function, ANOTHER.format(expected.id).encode())
            elif getattr(expected, "end_lineno", None) is not None:  # Python 3.7 does not tell
                edit = mutate_expected(expected, variables)
                # `is 3` is a warning, which may be an error that no test of the file outlives
                yield edit if not is_identity(statement) or edit[2] in IDENTICAL else (*span(expected), UNEQUAL)


def insert_first(node: "Function", new: "bytes") -> "Iterator[Edit]":
    """Put *new* where a function begins: before the first statement that is no description."""
    has_description = ast.get_docstring(node, clean=False) is not None
    if len(node.body) > has_description:
        start = node.body[has_description]
        above = min([start.lineno, *(each.lineno for each in getattr(start, "decorator_list", ()))])
        yield (above, start.col_offset), (above, start.col_offset), new


def is_parameter(expected: "ast.expr", function: "Function") -> "TypeGuard[ast.Name]":
    """Return whether it is a parameter that *function* uses for nothing else.

    Not what the tested code is given, too.
    """
    if not isinstance(expected, ast.Name):
        return False
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == expected.id]
    return len(uses) == 1 and expected.id in [each.arg for each in function.args.args + function.args.kwonlyargs]


def compared_values(statement: "ast.stmt") -> "list[ast.expr]":
    """Return the two values that *statement* wants to be equal; nothing where it wants something else."""
    value = getattr(statement, "value", None)
    test = getattr(statement, "test", None) if isinstance(statement, ast.Assert) else None
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.Is)):
        return [test.left, *test.comparators]
    if isinstance(statement, ast.Expr) and isinstance(value, ast.Call) and name_of(value.func) in COMPARING:
        return value.args[:2]
    return []


def is_identity(statement: "ast.stmt") -> "bool":
    """Return whether it says `is`."""
    return isinstance(getattr(getattr(statement, "test", None), "ops", [None])[0], ast.Is)


def expectation_rank(side: "ast.expr", variables: "Variables") -> "int":
    """Return how likely it is that *side* is what is expected, and not what is tested."""
    if is_literal(side):
        return 3
    return 2 if is_plain(side) else int(isinstance(side, ast.Name) and side.id in variables)


def mutate_expected(expected: "ast.expr", variables: "Variables") -> "Edit":
    """Return what to put in the place of *expected*, or of a part of it.

    Another value of its type, where that is told.
    """
    if isinstance(expected, ast.Name) and expected.id in variables:
        return (*span(expected), mutate_literal(variables[expected.id]))
    if is_literal(expected):
        return (*span(expected), mutate_literal(ast.literal_eval(expected)))
    constants = [node for node in ast.walk(expected) if isinstance(node, ast.Constant)] if is_plain(expected) else []
    if constants:
        last = max(constants, key=span)
        return (*span(last), mutate_literal(last.value))
    return (*span(expected), UNEQUAL)


def mutate_literal(value: "Any") -> "bytes":
    """Return another value than *value*, as Python is written."""
    return ascii(another_value(value)).encode()


def another_value(value: "Any") -> "Any":
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, complex)):
        return value + 1 if value + 1 != value else 1.5
    if isinstance(value, str):
        return value[:-1] + neighbour(value[-1:])
    if isinstance(value, bytes):
        return another_value(value.decode("latin-1")).encode("latin-1")
    if isinstance(value, (list, tuple)):
        return type(value)([*value[:-1], another_value(value[-1]) if value else 0])
    if isinstance(value, dict):
        last = list(value)[-1] if value else 0
        return {**value, last: another_value(value.get(last))}
    return value | {"another"} if isinstance(value, set) else 0


def neighbour(letter: "str") -> "str":
    """Return another letter or digit of the same kind; of anything else and of nothing, an x behind it."""
    if letter and letter in string.ascii_letters + string.digits:
        return {"9": "0", "z": "a", "Z": "A"}.get(letter) or chr(ord(letter) + 1)
    return letter + "x"


def literal_variables(function: "Function") -> "Variables":
    """Return the names in *function* that stand for one value, which is written out."""
    names = [node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    found = {}
    for node in ast.walk(function):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and value and names.count(target.id) == 1 and is_literal(value):
            found[target.id] = ast.literal_eval(value)
    return found


def span(node: "ast.expr") -> "Span":
    """From where to where *node* stands."""
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)


def name_of(method: "ast.AST") -> "str":
    """Return how a function or a method is called; "" for anything else."""
    return str(getattr(method, "attr", getattr(method, "id", "")))


def is_plain(node: "ast.AST") -> "bool":
    """Return whether a value is put together of such as are written out, by signs, displays and classes.

    `[Span(1, 9)] * 2`.

    Other functions may be what is tested.
    """
    if isinstance(node, ast.Call):
        name, parts = name_of(node.func), [*node.args, *(keyword.value for keyword in node.keywords)]
        return name[:1].isupper() and bool(parts) and all(map(is_plain, parts))
    if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp)):
        values = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
        return all(map(is_plain, values))
    return isinstance(node, ast.Constant)


def is_literal(node: "ast.expr") -> "bool":
    """Return whether a value is written out."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return True


def is_selected(node: "Function", selected: "set[str]") -> "bool":
    """Return whether a function is one of the tests.

    By its name, by its description, or made into several by a decorator.
    """
    description = (ast.get_docstring(node) or "").split("\n")[0].strip()
    if node.name in selected or (description and description in selected):
        return True
    return bool(node.decorator_list) and any(name.startswith(node.name + "_") for name in selected)
