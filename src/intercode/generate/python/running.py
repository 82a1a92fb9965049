"""Our own code, run as often as tests need it: what comes again is compiled once.

To compile code takes longer than to run it, and nearly all code of a family is new: its pieces come together in ever
other ways. So a piece that depends on nothing but what it is about is compiled as a function of that, once for all code
that it is a part of, and numbers and texts get names, since much code differs in them alone.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from intercode.generate.python.pieces import Code, parts

_LITERAL = re.compile(r"""([rbfuRBFU]*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(?<![\w.])\d+(?![\w.]))""")
"""Texts, in which no number counts as one, and whole numbers."""

_WORD = re.compile(r"\w+")

_BUILTINS = frozenset(vars(builtins))

_ABOUT = "_about"
"""What a function of a piece calls what it is about."""

_HEAD = f"lambda {_ABOUT}: "

_NAME = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
"""A word that is no attribute."""

_ODD = (":=", "yield", "await")
"""What does more than give a value, and so is no function."""

_LITERAL_NAME, _PIECE = "_literal_", "_piece_"

_ATOM, _NEVER = 6, 7

_BINDS: Sequence[tuple[type[ast.AST], int]] = (
    (ast.IfExp, 0),
    (ast.Lambda, 0),
    (ast.Or, 1),
    (ast.And, 2),
    (ast.Not, 3),
    (ast.Compare, 4),
    (ast.BinOp, 5),
    (ast.UnaryOp, 5),
)
"""How tightly expressions bind, the loosest first; what is not here is an atom."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece that was compiled.

    Attributes:
        is_expression: Else it is a fragment of one (an operator, a part of a text), or a statement.
        function: An expression as a function of what it is about; None if it depends on more than that, or on nothing.
        names: Those that the expression binds.
        binds: How tightly, as `_BINDS` has it.
    """

    is_expression: bool
    function: Callable[[Any], Any] | None = None
    names: frozenset[str] = frozenset()
    binds: int = _ATOM


@dataclass(frozen=True, slots=True)
class _Slot:
    """One slot of code, and the text before it.

    Attributes:
        name: Empty after the last slot.
        target: What the piece is about there.
        names: Those in *target*.
        binds: How tightly a piece must bind to mean the same with brackets around it.
    """

    before: str
    name: str
    target: str
    names: frozenset[str]
    binds: int


def load(code: Code) -> dict[str, Any]:
    """What *code* defines, by its names."""
    pieces = {name: _piece(text) for name, text in code.slots.items()}
    template = code.template
    fragments = tuple((name, code.slots[name]) for name, piece in pieces.items() if not piece.is_expression)
    if fragments:
        template = _with(template, fragments)
    found: list[str] = []
    functions: dict[str, Any] = {}
    for slot in _slots(template):
        found.append(slot.before)
        if slot.name:
            piece = pieces[slot.name]
            if piece.function and piece.binds >= slot.binds and piece.names.isdisjoint(slot.names):
                functions[_PIECE + slot.name] = piece.function
                found.append(f"{_PIECE}{slot.name}({slot.target})")
            else:
                found.append(code.slots[slot.name].replace("@", slot.target))
    return load_text("".join(found), functions)


def load_text(code: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What *code* defines, by its names, and *given* too, which it may use."""
    shape, values = _without_literals(code)
    space = {**values, **given}
    exec(_compile(shape), space)
    return space


@lru_cache(maxsize=8192)
def _without_literals(code: str) -> tuple[str, dict[str, int | str]]:
    """*code* with names for its whole numbers and texts, and what these stand for."""
    found: list[str] = _LITERAL.split(code)
    values: dict[str, int | str] = {}
    for place in range(1, len(found), 2):
        literal = found[place]
        name = f"{_LITERAL_NAME}{place}"
        if literal.isdecimal():
            values[name], found[place] = int(literal), name
        elif literal[0] in "'\"" and "\\" not in literal:
            values[name], found[place] = literal[1:-1], name
    return "".join(found), values


@lru_cache(maxsize=8192)
def _compile(code: str) -> CodeType:
    return compile(code, "<generated>", "exec")


@lru_cache(maxsize=8192)
def _piece(text: str) -> _Piece:
    shape, values = _without_literals(text)
    piece, code = _compile_piece(shape)
    if code is None:
        return piece
    return _Piece(True, FunctionType(code, {"__builtins__": builtins, **values}), piece.names, piece.binds)


@lru_cache(maxsize=8192)
def _compile_piece(shape: str) -> tuple[_Piece, CodeType | None]:
    """A piece without its function, and the code of this."""
    text = _HEAD + shape.replace("@", _ABOUT)
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return _Piece(is_expression=False), None
    if not isinstance(tree.body, ast.Lambda):
        return _Piece(is_expression=False), None
    codes = list(_nested(compile(text, "<generated>", "eval")))
    looked_up = {name for code in codes for name in code.co_names} & set(_NAME.findall(shape))
    is_free = all(name in _BUILTINS or name.startswith(_LITERAL_NAME) for name in looked_up)
    if "@" not in shape or not is_free or any(odd in shape for odd in _ODD):
        return _Piece(is_expression=True), None
    bound = {name for code in codes for name in (*code.co_varnames, *code.co_cellvars)}
    body = tree.body.body
    binds = _binds(body) if body.col_offset == len(_HEAD) else _ATOM
    return _Piece(is_expression=True, names=frozenset(bound), binds=binds), codes[1]


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _nested(each)


def _binds(node: ast.expr) -> int:
    kind: ast.AST = node
    if isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        kind = node.op
    return next((level for each, level in _BINDS if isinstance(kind, each)), _ATOM)


@lru_cache(maxsize=2048)
def _with(template: str, pieces: tuple[tuple[str, str], ...]) -> str:
    """*template* with *pieces* in their slots."""
    filled = dict(pieces)

    def fill(before: str, name: str, target: str) -> str:
        if name in filled:
            return before + filled[name].replace("@", target)
        return f"{before}<{name}:{target}>" if target else f"{before}<{name}>" if name else before

    return "".join(fill(*part) for part in parts(template))


@lru_cache(maxsize=2048)
def _slots(template: str) -> tuple[_Slot, ...]:
    """All slots of *template*, and what comes after them."""
    shape = _without_literals(template)[0]
    # A slot within a text is not seen in the shape.
    needed = _needed(shape if len(parts(shape)) == len(parts(template)) else template)
    return tuple(
        _Slot(before, name, target, frozenset(_WORD.findall(target)), needed.get(place, _NEVER))
        for place, (before, name, target) in enumerate(parts(template))
    )


@lru_cache(maxsize=2048)
def _needed(template: str) -> dict[int, int]:
    """How tightly a piece must bind, for the places of the slots that hold an expression."""
    slots = parts(template)
    names = {f"_slot_{place}_": place for place in range(len(slots) - 1)}
    code = "".join(before + name for (before, _, _), name in zip(slots, [*names, ""], strict=True))
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return {}
    found: dict[int, int] = {}
    for parent, field, node in _expressions(tree):
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
            place = names[node.id]
            in_brackets = slots[place][0].endswith("(") and slots[place + 1][0].startswith(")")
            found[place] = 0 if in_brackets else _needed_in(parent, field)
        elif isinstance(node, ast.Name | ast.arg) and _hides_builtin(node):
            return {}
    return found


def _expressions(tree: ast.AST) -> Iterator[tuple[ast.AST, str, ast.AST]]:
    """All nodes below *tree*, each with its parent and the field in which it stands there."""
    for parent in ast.walk(tree):
        for field, values in ast.iter_fields(parent):
            for node in values if isinstance(values, list) else [values]:
                if isinstance(node, ast.AST):
                    yield parent, field, node


def _hides_builtin(node: ast.Name | ast.arg) -> bool:
    """Whether a name of the template's own means something else in pieces."""
    if isinstance(node, ast.arg):
        return node.arg in _BUILTINS
    return isinstance(node.ctx, ast.Store) and node.id in _BUILTINS


def _needed_in(parent: ast.AST, field: str) -> int:
    """How tightly an expression in that *field* of *parent* must bind, by Python's grammar."""
    match parent, field:
        case (ast.Return() | ast.Assign() | ast.AugAssign() | ast.keyword(), "value") | (ast.Call(), "args"):
            return 0
        case (ast.If() | ast.While(), "test") | (ast.List() | ast.Tuple(), "elts") | (ast.Subscript(), "slice"):
            return 0
        case (ast.ListComp() | ast.GeneratorExp(), "elt") | (ast.DictComp(), _):
            return 0
        case (ast.comprehension(), "ifs" | "iter") | (ast.IfExp(), "test" | "body"):
            return 1
        case ast.BoolOp(op=ast.Or()), _:
            return 2
        case (ast.BoolOp(op=ast.And()), _) | (ast.UnaryOp(op=ast.Not()), _):
            return 3
        case ast.Compare(), _:
            return 5
    return _ATOM
