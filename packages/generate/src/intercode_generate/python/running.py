"""Our own code, run as often as tests need it: what comes again is compiled once.

To compile code takes longer than to run it, and nearly all code of a family is new: its pieces come together in ever
other ways. So a piece is compiled as a function of what it is about and of the names that it uses, once for all code
that it is a part of, and numbers and texts get names, since much code differs in them alone. All these are parameters
of a function around the code: Python finds them there sooner than in a module.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from textwrap import indent
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from intercode_generate.python.pieces import Code, parts

_LITERAL = re.compile(r"""([rbfuRBFU]*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(?<![\w.])\d+(?![\w.]))""")
"""Texts, in which no number counts as one, and whole numbers."""

_WORD = re.compile(r"\w+")

_BUILTINS = frozenset(vars(builtins))

_ABOUT = "_about"
"""What a function of a piece calls what it is about."""

_NAME = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
"""A word that is no attribute."""

_ATTRIBUTE = re.compile(r"\.\s*([A-Za-z_]\w*)")

_PLAIN = re.compile(r"-?[\w@]+")
"""A name or a literal: a function of it would be slower than it is."""

_ODD = (":=", "yield", "await", "__")
"""What does more than give a value, or means something else in a class, and so is no function."""

_SPACE = {"__builtins__": builtins}
"""What all code sees beside its own names. Nothing is put there: Python then remembers where it found what."""

_LITERAL_NAME, _PIECE = "_literal", "_piece_"

_ATOM = 6

_BINDS: Sequence[tuple[type[ast.AST], int]] = (
    (ast.IfExp, 0),
    (ast.Lambda, 0),
    (ast.Or, 1),
    (ast.And, 2),
    (ast.Not, 3),
    (ast.Compare, 4),
    (ast.BinOp, 5),
    (ast.unaryop, 5),
)
"""How tightly expressions bind, the loosest first; what is not here is an atom."""


class _Piece(NamedTuple):
    """A piece that was compiled.

    Attributes:
        shape: Its text with named literals.
        is_expression: Else it is a fragment of one (an operator, a part of a text), or a statement.
        function: An expression as a function; None if it is but a name or a literal, or does more than give a value.
        given: The arguments of the function, `_ABOUT` standing for what the piece is about.
        names: Those that the expression binds.
    """

    shape: str
    is_expression: bool
    function: Callable[..., Any] | None = None
    given: str = ""
    names: frozenset[str] = frozenset()


class _Slot(NamedTuple):
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


class _Template(NamedTuple):
    """Code with slots, and what its named literals stand for."""

    slots: Sequence[_Slot]
    values: Mapping[str, int | str]


def load(code: Code) -> dict[str, Any]:
    """Return what *code* defines, by its names."""
    pieces = {name: _piece(text) for name, text in code.slots.items()}
    fragments = tuple((name, code.slots[name]) for name, piece in pieces.items() if not piece.is_expression)
    whole = _template(_with(code.template, fragments) if fragments else code.template)
    if whole is None:
        return load_text(code.text, {})
    found: list[str] = []
    given: dict[str, Any] = dict(whole.values)
    for slot in whole.slots:
        found.append(slot.before)
        if slot.name:
            piece = pieces[slot.name]
            if piece.function and piece.names.isdisjoint(slot.names) and _is_whole(piece.shape, slot.binds):
                given[_PIECE + slot.name] = piece.function
                found.append(f"{_PIECE}{slot.name}({piece.given.replace(_ABOUT, slot.target)})")
            else:
                shape, values = _without_literals(code.slots[slot.name], slot.name)
                given.update(values)
                found.append(shape.replace("@", slot.target))
    return _compile("".join(found), tuple(given))(*given.values())


def load_text(code: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what *code* defines, by its names, and *given* too, which it may use."""
    shape, values = _without_literals(code)
    return _compile(shape, (*values, *given))(*values.values(), *given.values())


@lru_cache(maxsize=8192)
def _without_literals(code: str, owner: str = "") -> tuple[str, dict[str, int | str]]:
    """Return *code* with names for its whole numbers and texts, and what these stand for.

    No two *owners* share a name.
    """
    found: list[str] = _LITERAL.split(code)
    values: dict[str, int | str] = {}
    for place in range(1, len(found), 2):
        literal = found[place]
        name = f"{_LITERAL_NAME}{owner}_{place}"
        if literal.isdecimal():
            values[name], found[place] = int(literal), name
        elif literal[0] in "'\"" and "\\" not in literal:
            values[name], found[place] = literal[1:-1], name
    return "".join(found), values


@lru_cache(maxsize=8192)
def _compile(code: str, given: tuple[str, ...]) -> Callable[..., dict[str, Any]]:
    """Return a function of what is *given*, by these names: it returns what *code* defines, and what it was given."""
    found: dict[str, Callable[..., dict[str, Any]]] = {}
    text = f"def define({', '.join(given)}):\n{indent(code, ' ')}\n return locals()\n"
    exec(compile(text, "<generated>", "exec"), _SPACE, found)
    return found["define"]


@lru_cache(maxsize=8192)
def _piece(text: str) -> _Piece:
    shape, values = _without_literals(text)
    piece = _compile_piece(shape, tuple(values))
    return piece._replace(function=piece.function(*values.values())) if piece.function else piece


@lru_cache(maxsize=8192)
def _compile_piece(shape: str, literals: tuple[str, ...]) -> _Piece:
    """Return a piece whose function gets *literals*, and gives the one that is wanted."""
    text = shape.replace("@", _ABOUT)
    try:
        code = compile(_head(literals, (_ABOUT,)) + text, "<generated>", "eval")
    except SyntaxError:
        return _Piece(shape, is_expression=False)
    if code.co_names or not isinstance(eval(code, _SPACE), FunctionType):  # a comma makes more of it than a function
        return _Piece(shape, is_expression=False)
    if _PLAIN.fullmatch(shape) or any(odd in shape for odd in _ODD):
        return _Piece(shape, is_expression=True)
    codes = list(_nested(code))
    bound = {name for each in codes for name in (*each.co_varnames, *each.co_cellvars)}
    used = {name for each in codes for name in each.co_names}.intersection(_NAME.findall(shape)) - _BUILTINS
    if not used.isdisjoint(bound.union(_ATTRIBUTE.findall(shape))):
        return _Piece(shape, is_expression=True)
    given = (*((_ABOUT,) if "@" in shape else ()), *sorted(used))
    if given != (_ABOUT,):
        code = compile(_head(literals, given) + text, "<generated>", "eval")
    return _Piece(shape, True, eval(code, _SPACE), ", ".join(given), frozenset(bound))


def _head(literals: Iterable[str], given: Iterable[str]) -> str:
    """Return what stands before an expression in a function of *literals* that makes one of what is *given*."""
    return f"lambda {', '.join(literals)}: lambda {', '.join(given)}: "


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _nested(each)


def _is_whole(shape: str, needed: int) -> bool:
    """Return whether a piece of that *shape* binds as tightly as *needed*, so that it needs no brackets."""
    return not needed or _binds(shape) >= needed


@lru_cache(maxsize=8192)
def _binds(shape: str) -> int:
    body = ast.parse(shape.replace("@", _ABOUT), mode="eval").body
    if body.col_offset > 0:  # it is in brackets
        return _ATOM
    kind = body.op if isinstance(body, ast.BoolOp | ast.UnaryOp) else body
    return next((level for each, level in _BINDS if isinstance(kind, each)), _ATOM)


@lru_cache(maxsize=2048)
def _with(template: str, pieces: tuple[tuple[str, str], ...]) -> str:
    """Return *template* with *pieces* in their slots."""
    filled = dict(pieces)

    def fill(before: str, name: str, target: str) -> str:
        if name in filled:
            return before + filled[name].replace("@", target)
        return f"{before}<{name}:{target}>" if target else f"{before}<{name}>" if name else before

    return "".join(fill(*part) for part in parts(template))


@lru_cache(maxsize=2048)
def _template(template: str) -> _Template | None:
    """Return *template* with its literals named; None unless all its slots hold expressions, outside of texts."""
    shape, values = _without_literals(template)
    slots = parts(shape)
    needed = _needed(shape)
    if len(slots) != len(parts(template)) or len(needed) != len(slots) - 1:
        return None
    return _Template(
        tuple(
            _Slot(before, name, target, frozenset(_WORD.findall(target)), needed.get(place, _ATOM))
            for place, (before, name, target) in enumerate(slots)
        ),
        values,
    )


@lru_cache(maxsize=2048)
def _needed(template: str) -> dict[int, int]:
    """Return how tightly a piece must bind, for the places of the slots that hold an expression."""
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
    """Yield all nodes below *tree*, each with its parent and the field in which it stands there."""
    for parent in ast.walk(tree):
        for field, values in ast.iter_fields(parent):
            for node in values if isinstance(values, list) else [values]:
                if isinstance(node, ast.AST):
                    yield parent, field, node


def _hides_builtin(node: ast.Name | ast.arg) -> bool:
    """Return whether a name of the template's own means something else in pieces."""
    if isinstance(node, ast.arg):
        return node.arg in _BUILTINS
    return isinstance(node.ctx, ast.Store) and node.id in _BUILTINS


def _needed_in(parent: ast.AST, field: str) -> int:
    """Return how tightly an expression in that *field* of *parent* must bind, by Python's grammar."""
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
