"""What families of classes share: how their objects are tested."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Piece
from intercode_generate.python.sketch import Arguments, Sketch

SETUP = """\
def replay(start, operations):
    made = NAME(*start)
    return [getattr(made, name)(*given) for name, *given in operations]
"""
"""What the tests call: an object made with *start*, and what each operation on it returns."""


def class_sketch(
    start: str,
    gold: str,
    second: str,
    operations: Callable[[Inputs], Arguments],
    edges: tuple[Arguments, ...],
    slots: Mapping[str, Piece],
    *,
    wrong: tuple[str, ...] = (),
    rules: tuple[str, ...] = (),
    steps: int = 1,
) -> Sketch:
    """Return a class made with the parameters *start*; *operations* draws what is done with one object."""
    return Sketch(
        start,
        gold,
        second,
        operations,
        edges,
        slots,
        wrong=wrong,
        rules=rules,
        setup=SETUP,
        entry="replay",
        steps=steps,
    )
