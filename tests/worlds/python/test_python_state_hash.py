"""The name of a state of variables: another where they are otherwise, the same where they are not."""

from __future__ import annotations

from typing import Any

import pytest

from intercode.worlds.python.inside.state_hash import state

CLOSURE = "def outer(n):\n    def inner():\n        return n\n    return inner\nf = outer({})"

OTHERWISE = {
    "a name": ("x = {}", "y = {}"),
    "a private name": ("_x = 1", "_x = 2"),
    "something deep": ("x = {1: [2, {3}]}", "x = {1: [2, {4}]}"),
    "an attribute": ("class A: pass\na = A(); a.x = 1", "class A: pass\na = A(); a.x = 2"),
    "a slot": ("class A: __slots__ = 'x'\na = A(); a.x = 1", "class A: __slots__ = 'x'\na = A(); a.x = 2"),
    "a method": ("class A:\n def f(self): return 1", "class A:\n def f(self): return 2"),
    "a property": ("class A:\n f = property(lambda self: 1)", "class A:\n f = property(lambda self: 2)"),
    "a list of one's own": ("class L(list): pass\nx = L([1])", "class L(list): pass\nx = L([2])"),
    "a counter": (
        "import collections; x = collections.Counter('a')",
        "import collections; x = collections.Counter('b')",
    ),
    "a queue": ("import collections; x = collections.deque([1])", "import collections; x = collections.deque([2])"),
    "a named tuple": (
        "import collections; x = collections.namedtuple('P', 'x')(1)",
        "import collections; x = collections.namedtuple('P', 'x')(2)",
    ),
    "a data class": (
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n x: int\np = P(1)",
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n x: int\np = P(2)",
    ),
    "a fraction": ("import fractions; x = fractions.Fraction(1, 2)", "import fractions; x = fractions.Fraction(1, 3)"),
    "a day": ("import datetime; x = datetime.date(2020, 1, 1)", "import datetime; x = datetime.date(2020, 1, 2)"),
    "bytes": ("x = bytearray(b'a')", "x = bytearray(b'b')"),
    "a range": ("x = range(3)", "x = range(4)"),
    "an error": ("x = ValueError(1)", "x = ValueError(2)"),
    "a default": ("def f(x=1): return x", "def f(x=2): return x"),
    "what a function has seen": (CLOSURE.format(1), CLOSURE.format(2)),
    "a function in a function": ("def f(): return (lambda: 1)()", "def f(): return (lambda: 2)()"),
}


def variables(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    exec(text, space)
    return space


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_otherwise_has_another_name_and_what_is_not_the_same(name: str) -> None:
    one, other = OTHERWISE[name]
    assert state(variables(one)) == state(variables(one))
    assert state(variables(one)) != state(variables(other))


def test_values_that_hold_each_other_are_told_once_and_hide_nothing() -> None:
    text = "class A: pass\na = A(); a.me = a; a.many = [a] * 100; f = lambda: f\nl = []; l.append(l)\n"
    text += "many = [A() for _ in range(500)]\nfor each in many: each.all = many\n"
    assert state(variables(text + "z = 1")) == state(variables(text + "z = 1"))
    assert state(variables(text + "z = 1")) != state(variables(text + "z = 2"))


def test_no_code_of_theirs_is_run() -> None:
    text = """
ran = []
def spy(*_): ran.append(1); raise SystemExit
hooks = {name: spy for name in ("__repr__", "__str__", "__hash__", "__eq__", "__iter__", "__getattribute__",
                                "__getitem__", "__len__", "__reduce__", "__reduce_ex__", "__format__")}
class Meta(type):
    __module__ = __dict__ = __mro__ = __flags__ = property(spy)
for base in (object, list, dict, str, int, float, ValueError):
    made = type("Made", (base,), {**hooks, "__module__": "__main__", "__dict__": property(spy)})
    globals()["of_" + base.__name__] = made.__new__(made)
class Odd(metaclass=Meta): pass
odd = Odd()
"""
    space = variables(text)
    before = len(space["ran"])
    state(space)
    assert len(space["ran"]) == before
