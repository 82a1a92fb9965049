"""What a task brings to its certificate: second golds and near misses, its own or made from its gold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from intercode import world_specs
from intercode.errors import BadDataError
from intercode.types import Task
from intercode_generate.certify.mutation import mutants

SECOND, NEAR = "second_gold", "near_misses"
"""The columns of a task's record, beside `alternative_golds`: a text or a list of them."""


@dataclass(frozen=True, slots=True)
class Materials:
    """The texts to play. *mutated*: the near misses are mutants of the gold, of which some may do the same."""

    second_golds: tuple[str, ...]
    near_misses: tuple[str, ...]
    mutated: bool = False

    @classmethod
    def of(cls, task: Task) -> Materials:
        """Return those of *task*.

        Raises:
            BadDataError: For a column that holds no texts.
        """
        seconds = tuple(dict.fromkeys([*task.alternative_golds, *_texts(task, SECOND)]))
        near = tuple(_texts(task, NEAR))
        if near or task.gold is None:
            return cls(seconds, near)
        return cls(seconds, tuple(mutants(task.gold, world_specs.find(task.world).language)), mutated=True)


def _texts(task: Task, column: str) -> Iterator[str]:
    value = task.extra.get(column)
    if value is None:
        return
    for text in [value] if isinstance(value, str) else value:
        if not isinstance(text, str):
            raise BadDataError(f"{task.id}: its column {column!r} should hold a text, or a list of texts")
        if text.strip() and text != task.gold:
            yield text
