"""A name for the state of variables."""

import os

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROOM, DEEPEST = 20000, 20
"""Values, and levels, that are looked at; what lies beyond tells no states apart."""

HEAP = 1 << 9
"""The flag of types that were made by a class statement: those without it run no code of anybody's."""

REDUCED = (
    "builtins.range", "datetime.date", "datetime.datetime", "datetime.time", "datetime.timedelta", "decimal.Decimal",
)  # fmt: skip
"""Types of the library that can say what they are made of."""


def state(space: "dict[str, Any]") -> str:
    """Return a name for variables: equal for equal names, and equal values where they are plain.

    No code of theirs is run.

    Values of classes that were defined here are told by their attributes, others by what they contain, if that is
    plain; modules, generators and what else there is only by their type.
    """
    lines, room = [], [ROOM, {}, {}]
    try:
        for name in sorted(name for name in space if type(name) is str and name[:2] != "__" and name != "_"):
            lines.append("%s=%s" % (name, describe(space[name], room, 0)))
        lines.append(os.getcwd())
    except (RuntimeError, OSError, MemoryError):  # a thread of the agent's is at it, or the directory is gone
        lines.append("?")
    return "%016x" % (hash("\n".join(lines).encode("utf-8", "surrogatepass")) & (2**64 - 1))


def describe(value: "Any", room: "list[Any]", depth: int) -> str:
    """Return a text for a value; of what is not plain only the type."""
    room[0] -= 1
    kind = type(value)
    if room[0] < 0 or depth > DEEPEST:
        return "..."
    if kind in PLAIN:
        return describe_plain(value, kind, room, depth)
    if kind is type(describe):
        return "function(%s)" % describe(parts_of_function(value), room, depth + 1)
    if kind is type(describe.__code__):
        return "code(%s)" % describe(parts_of_code(value), room, depth + 1)
    if kind in WRAPPERS:
        return "%s(%s)" % (kind.__name__, describe([getattr(value, name) for name in WRAPPERS[kind]], room, depth + 1))
    if type in lineage(kind):
        return describe_class(value, room, depth)
    return describe_instance(value, kind, room, depth)


def describe_plain(value: "Any", kind: "Any", room: "list[Any]", depth: int) -> str:
    """Return the same for a value that is, or is asked as if it were, of one of the plain types."""
    if kind in (bool, int, float, complex, type(None)):
        return int.__format__(value, "x") if kind is int and int.bit_length(value) > 9998 else str(kind.__repr__(value))
    if kind in (str, bytes, bytearray):
        room[0] -= kind.__len__(value) // 64
        return repr(kind.__getitem__(value, slice(100000)))
    if kind in (list, tuple):
        some = kind.__getitem__(value, slice(room[0] + 1))
        return "%s(%s)" % (kind.__name__, ",".join([describe(each, room, depth + 1) for each in some]))
    if kind in (set, frozenset):
        each = sorted([describe(each, room, depth + 1) for each in kind.__iter__(value)])
        return "%s(%s)" % (kind.__name__, ",".join(each))
    pairs = [(describe(key, room, depth + 1), describe(each, room, depth + 1)) for key, each in dict.items(value)]
    return "{%s}" % ",".join(["%s:%s" % pair for pair in pairs])


def describe_class(value: type, room: "list[Any]", depth: int) -> str:
    """Return what a class that was defined here is made of; of any other its name."""
    space = space_of(value)
    name = "class %s" % name_of(value)
    if not is_ours(value):
        return name
    parts = [(key, each) for key, each in space.items() if type(key) is str and key not in SELF_MADE]
    return "%s(%s)" % (name, describe([*sorted(parts, key=first), *lineage(value)[1:]], room, depth + 1))


def describe_instance(value: "Any", kind: type, room: "list[Any]", depth: int) -> str:
    """Return what a value of any other type contains, and its attributes if the class was defined here."""
    told: str
    told, content, slots = room[2].get(kind) or room[2].setdefault(kind, plan(kind))
    if content is not None:
        told += "(%s)" % content(value, room, depth)
    if slots is not None:
        if id(value) in room[1]:  # of what holds each other everything is told once
            return "%s again %d" % (told, room[1][id(value)])
        room[1][id(value)] = len(room[1])
        told += "(%s)" % describe(sorted(attributes(value, slots), key=first), room, depth + 1)
    return told


def plan(kind: type) -> "tuple[str, Any, Any]":
    """Return how values of a type are told.

    Its name, what tells their content, and where their attributes are, if at all.
    """
    types = lineage(kind)
    base = next((each for each in types if each in PLAIN and each is not bool), None)
    queue: "Any" = next((each for each in types if library_name(each) == "collections.deque"), None)
    content: "Any" = None
    if base is not None:
        content = lambda value, room, depth: describe_plain(value, base, room, depth)  # noqa: E731
    elif queue is not None:
        content = lambda value, room, depth: describe(list(queue.__iter__(value)), room, depth + 1)  # noqa: E731
    elif BaseException in types:
        args = BaseException.__dict__["args"]
        content = lambda value, room, depth: describe(args.__get__(value), room, depth + 1)  # noqa: E731
    elif library_name(kind) in REDUCED:
        content = lambda value, room, depth: describe(value.__reduce__()[1:], room, depth + 1)  # noqa: E731
    is_told = is_ours(kind) or space_of(kind).get("__module__") == "fractions"
    return "a %s" % name_of(kind), content, slots_of(types) if is_told else None


def slots_of(types: "tuple[type, ...]") -> "list[tuple[str, Any]]":
    """Return where values of a type have their dictionary, and their attributes beside it."""
    return [
        (name, each)
        for kind in types
        for name, each in space_of(kind).items()
        if (name == "__dict__" and type(each) is GETSET) or (type(each) is MEMBER and is_made(kind))
    ]


def attributes(value: "Any", slots: "list[tuple[str, Any]]") -> "list[tuple[str, Any]]":
    """Return those of *value* itself, in its dictionary and in slots."""
    found: "list[tuple[str, Any]]" = []
    for name, each in slots:
        try:
            held = each.__get__(value)
        except AttributeError:  # a slot that is empty
            continue
        found += [pair for pair in dict.items(held) if type(pair[0]) is str] if name == "__dict__" else [(name, held)]
    return found


def parts_of_function(function: "Any") -> "list[Any]":
    """Return what makes it another."""
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(cell.cell_contents)
        except ValueError:  # it is still empty
            cells.append(None)
    return [function.__code__, function.__defaults__, function.__kwdefaults__, cells]


def parts_of_code(code: "Any") -> "list[Any]":
    """Return what makes it another."""
    return [code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_consts]


def first(pair: "tuple[str, Any]") -> str:
    """Pairs are sorted by it alone: what follows may have an order of its own."""
    return str.__str__(pair[0])


def lineage(kind: type) -> "tuple[type, ...]":
    """Return a type and all that it is made from."""
    found: "tuple[type, ...]" = type.__dict__["__mro__"].__get__(kind)
    return found


def space_of(kind: type) -> "Any":
    """Return what stands in a class."""
    return type.__dict__["__dict__"].__get__(kind)


def is_ours(kind: type) -> bool:
    """Return whether it was defined by the code that runs here."""
    return is_made(kind) and space_of(kind).get("__module__") == "__main__"


def is_made(kind: type) -> bool:
    """Return whether it was made by a class statement, or might have been."""
    return bool(type.__dict__["__flags__"].__get__(kind) & HEAP)


def name_of(kind: type) -> str:
    """Its name, whatever its metaclass says."""
    found: str = type.__dict__["__name__"].__get__(kind)
    return found


def library_name(kind: type) -> str:
    """Return the name, with its module, of a type that no class statement has made; "" for others."""
    return "" if is_made(kind) else "%s.%s" % (kind.__module__, kind.__name__)


PLAIN = frozenset([
    bool, int, float, complex, type(None), str, bytes, bytearray, list, tuple, set, frozenset, dict
])  # fmt: skip

WRAPPERS = {
    staticmethod: ["__func__"],
    classmethod: ["__func__"],
    property: ["fget", "fset", "fdel"],
    type(first.__get__(0)): ["__func__", "__self__"],
}
"""Around functions."""

SELF_MADE = frozenset(["__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__static_attributes__"])
"""What every class has, or what says where it stood."""

GETSET = type(type(first).__dict__["__code__"])
MEMBER = type(type(first).__dict__["__globals__"])
