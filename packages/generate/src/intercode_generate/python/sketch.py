"""A Python task before its name and its tests: how it behaves, as code with slots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Code, Piece

NAME = "NAME"
"""Stands in code for the name of what is asked for."""

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Sketch:
    """What a family drafts.

    Attributes:
        parameters: What stands in the brackets of the function.
        gold: Code with slots (`pieces.fill`), and `NAME` for the name that is asked for.
        second: The same behaviour by another way; its slots get the other way of each piece.
        inputs: Draws the arguments of one test.
        edges: Arguments that must be among the tests: what is empty, equal, or at a border.
        slots: The pieces, by the names of the slots. Their words fill the fields of the phrasing with that name.
        values: Further fields of the phrasings.
        wrong: Code that is nearly right, with slots.
        endless: What stands in near misses that are wrong because they search for what there is not, which takes long.
        rules: Sentences that settle what a phrasing leaves open; they end the request.
        setup: Code that the tests need beside the agent's, with `NAME` too.
        entry: The function that the tests call.
        steps: How much there is to do beyond the pieces.
    """

    parameters: str
    gold: str
    second: str
    inputs: Callable[[Inputs], Arguments]
    edges: Sequence[Arguments]
    slots: Mapping[str, Piece] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()
    endless: str = ""
    rules: tuple[str, ...] = ()
    setup: str = ""
    entry: str = NAME
    steps: int = 1

    @cached_property
    def first_gold(self) -> Code:
        """The gold, without the name."""
        return Code(self.gold, {name: piece.one for name, piece in self.slots.items()})

    @cached_property
    def golds(self) -> tuple[Code, Code]:
        """Both, without the name."""
        return self.first_gold, Code(self.second, {name: piece.other for name, piece in self.slots.items()})

    def near_misses(self) -> Iterator[Code]:
        """Code that should be wrong: the family's own, then the gold with one piece wrong. None twice, none a gold."""
        right = self.golds[0].slots
        seen = {gold.text for gold in self.golds}
        for mutant in self._mutants(right):
            if mutant.text not in seen:
                seen.add(mutant.text)
                yield mutant

    def _mutants(self, right: Mapping[str, str]) -> Iterator[Code]:
        yield from (Code(code, right) for code in self.wrong)
        for turn in range(max((len(piece.wrong) for piece in self.slots.values()), default=0)):
            for name, piece in self.slots.items():
                if turn < len(piece.wrong):
                    yield Code(self.gold, {**right, name: piece.wrong[turn]})

    @property
    def effort(self) -> int:
        """1 to 6."""
        return max(1, min(6, self.steps + sum(piece.steps for piece in self.slots.values())))

    def draw_inputs(self, inputs: Inputs, count: int) -> Iterator[Arguments]:
        """Yield the edges, then *count* drawn."""
        yield from self.edges
        for _ in range(count):
            yield self.inputs(inputs)
