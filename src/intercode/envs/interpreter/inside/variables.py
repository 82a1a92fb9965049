"""A name for the state of variables."""

import os

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROOM, DEEPEST = 20000, 8
"""Values, and levels, that are looked at; what lies beyond tells no states apart."""


def state(space: "dict[str, Any]") -> str:
    """A name for variables: equal for equal names, and equal values where they are plain. No code of theirs is run."""
    told, room = [], [ROOM]
    try:
        for name in sorted(name for name in space if type(name) is str and name[:1] != "_"):
            told.append("%s=%s" % (name, told_of(space[name], room, 0)))
        told.append(os.getcwd())
    except (RuntimeError, OSError, MemoryError):  # a thread of the agent's is at it, or the directory is gone
        told.append("?")
    return "%016x" % (hash("\n".join(told).encode("utf-8", "surrogatepass")) & (2**64 - 1))


def told_of(value: "Any", room: "list[int]", depth: int) -> str:
    """A text for a value; of what is not plain only the type."""
    room[0] -= 1
    kind = type(value)
    if room[0] < 0 or depth > DEEPEST:
        return "..."
    if kind in (bool, int, float, complex, type(None)):
        return repr(value) if kind is not int or value.bit_length() < 9999 else hex(value)
    if kind in (str, bytes):
        room[0] -= len(value) // 64
        return repr(value[:100000])
    if kind in (list, tuple):
        return "%s(%s)" % (kind.__name__, ",".join([told_of(each, room, depth + 1) for each in value[: room[0] + 1]]))
    if kind in (set, frozenset):
        return "%s(%s)" % (kind.__name__, ",".join(sorted([told_of(each, room, depth + 1) for each in value])))
    if kind is dict:
        pairs = [(told_of(key, room, depth + 1), told_of(each, room, depth + 1)) for key, each in value.items()]
        return "{%s}" % ",".join(["%s:%s" % pair for pair in pairs])
    if kind is type(told_of):
        code = value.__code__
        return "function(%s)" % told_of(
            [code.co_code, code.co_names, code.co_varnames, code.co_consts], room, depth + 1
        )
    if kind is type:
        return "class(%s)" % ",".join(sorted([name for name in value.__dict__ if type(name) is str]))
    return "a %s" % kind.__name__
