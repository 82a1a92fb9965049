"""Values as text, for whoever checks them elsewhere: literals, in which nothing is run when they are read."""

import sys

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from typing import Any

DEEPEST, LONGEST = 60, 1 << 18
"""Levels, and values in all, of one that is told."""


MANY: "Any" = ((list, "[", "]"), (tuple, "(", ",)"), (set, "{", "}"), (frozenset, "frozenset([", "])"))


VIEWS = ("builtins.dict_keys", "builtins.dict_values", "builtins.dict_items")
"""What a dictionary shows of itself."""


class NotPlainError(ValueError):
    """What is to be told is no plain data, or is too deep or too much of it."""


def plain(value: "Any", depth: int = 0, room: "list[int] | None" = None) -> str:
    """Return *value* as a Python literal, subclasses of what is plain as what they hold.

    Raises NotPlainError for the rest.
    """
    room = room or [LONGEST]
    room[0] -= 1
    if depth > DEEPEST or room[0] < 0:
        raise NotPlainError("too deep or too long")
    if value is None or value is True or value is False:
        return repr(value)
    for kind in (int, float, complex, str, bytes):
        if isinstance(value, kind):
            if kind is int and hasattr(sys, "set_int_max_str_digits"):
                sys.set_int_max_str_digits(0)
            return special_floats(kind.__repr__(value)) if kind in (float, complex) else kind.__repr__(value)
    for many, begin, end in MANY:
        if isinstance(value, many):
            inner = ",".join([plain(each, depth + 1, room) for each in many.__iter__(value)])
            return begin + inner + end if inner else "%s()" % many.__name__
    if isinstance(value, dict):
        pairs = [(plain(key, depth + 1, room), plain(each, depth + 1, room)) for key, each in dict.items(value)]
        return "{%s}" % ",".join(["%s:%s" % pair for pair in pairs])
    return plain_other(value, depth, room)


def plain_other(value: "Any", depth: int, room: "list[int]") -> str:
    """Return what a few types of the library hold, and what iterators yield."""
    kind = type(value)
    name = "%s.%s" % (kind.__module__, kind.__name__)
    if name == "builtins.range":
        return repr(value)
    if name == "builtins.bytearray":
        return "bytearray(%r)" % bytes(value)
    if name in ("decimal.Decimal", "fractions.Fraction"):
        return "%s(%r)" % (kind.__name__, str(value))
    if name == "collections.deque":
        return "deque(%s)" % plain(list(value), depth + 1, room)
    if name in VIEWS:
        return "%s(%s)" % (kind.__name__, plain(list(value), depth + 1, room))
    if hasattr(kind, "__next__"):
        found = []
        for each in value:
            found.append(each)
            if len(found) > room[0]:
                raise NotPlainError("too long")
        return "iter(%s)" % plain(found, depth + 1, room)
    raise NotPlainError("not plain: %s" % name)


def special_floats(text: str) -> str:
    """Infinities and nans have no literals, nor have complex numbers of them."""
    if "inf" not in text and "nan" not in text:
        return text
    return "%s(%r)" % ("complex" if "j" in text else "float", text)


def makers() -> "dict[str, Any]":
    """Return what makes values that have no literals.

    Whoever reads texts in forks calls it before: its imports take 13 ms.
    """
    import ast  # noqa: F401  # what reads texts
    import collections
    import decimal
    import fractions

    kinds = {
        kind.__name__: kind
        for kind in (set, frozenset, tuple, list, float, complex, range, bytearray, iter, collections.deque,
                     decimal.Decimal, fractions.Fraction)
    }  # fmt: skip
    views = {
        "dict_keys": lambda keys: dict.fromkeys(keys).keys(),
        "dict_values": lambda values: dict(enumerate(values)).values(),
        "dict_items": lambda pairs: dict(pairs).items(),
    }
    return {**kinds, **views}


def from_plain(text: str) -> "Any":
    """Return the value that a text made by `plain` stands for. Whoever wrote it: nothing in it is run."""
    import ast

    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    known = makers()

    def value(node: "ast.expr") -> "Any":
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return known[node.func.id](*[value(each) for each in node.args])
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            kind = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
            return kind([value(each) for each in node.elts])
        if isinstance(node, ast.Dict):
            return {value(key): value(each) for key, each in zip(node.keys, node.values) if key}
        return ast.literal_eval(node)

    return value(ast.parse(text.strip(), "<value>", "eval").body)
